"""Packs what CMake built (target stiction_python) as a wheel. The extension keeps to Python's stable ABI: one wheel for
3.9 and later."""

from pathlib import Path

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Built(Distribution):
    def has_ext_modules(self) -> bool:
        return True  # the extension is there already: the wheel is for this platform


class Wheel(bdist_wheel):
    def finalize_options(self) -> None:
        self.py_limited_api = "cp39"
        super().finalize_options()
        self.root_is_pure = False


setup(
    name="stiction",
    version=Path("VERSION").read_text().strip(),
    description="Mechanics with contact that proves its answers",
    license="see LICENSE",
    packages=["stiction"],
    package_data={"stiction": ["*.so", "*.pyi", "py.typed", "scenes/*", "bin/*"]},
    python_requires=">=3.9",
    install_requires=["numpy", "cffi"],
    extras_require={"sparse": ["scipy"]},
    entry_points={"console_scripts": ["stiction = stiction.__main__:main"]},
    distclass=Built,
    cmdclass={"bdist_wheel": Wheel},
    zip_safe=False,
)
