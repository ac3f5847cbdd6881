"""The fork server attack/server.c, from the side of who asks it."""
import os
import subprocess

ASAN = "detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=2048:exitcode=77:detect_stack_use_after_return=0"
UBSAN = "print_stacktrace=1:exitcode=77"


class Limits:
    soft, hard, wall, memory = 10.0, 30.0, 600.0, 3000.0  # CPU seconds, CPU seconds, seconds, MiB


class Result:
    def __init__(self, line, folder):
        words = line.split()
        self.ended, self.number = words[0], int(words[1])
        self.cpu, self.peak, self.limit = float(words[2]), int(words[3]), words[4]
        self.out = read(os.path.join(folder, "out"))
        self.err = read(os.path.join(folder, "err"))


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def environment():
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    return dict(env, ASAN_OPTIONS=ASAN, UBSAN_OPTIONS=UBSAN, OPENBLAS_NUM_THREADS="1", LC_ALL="C")


def launcher():
    """Old sanitizer runtimes cannot place their memory when addresses are random in more than 28 bits."""
    try:
        bits = int(read("/proc/sys/vm/mmap_rnd_bits") or 0)
    except ValueError:
        bits = 0
    return ["setarch", "-R"] if bits > 28 and subprocess.call(["setarch", "-R", "true"]) == 0 else []


class Server:
    def __init__(self, program):
        self.process = subprocess.Popen(launcher() + [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment())

    def run(self, folder, arguments, limits=Limits):
        """stiction ARGUMENTS in this folder."""
        fields = [limits.soft, limits.hard, limits.wall, limits.memory, folder] + arguments
        self.process.stdin.write(("\t".join(map(str, fields)) + "\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode()
        if not line:
            raise RuntimeError("the server ended: " + " ".join(arguments))
        return Result(line, folder)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
