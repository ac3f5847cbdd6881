// build.mjs FILE.c: src/ and its libraries as one script and one style sheet, as bytes of a C file.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const licence = (name) => `${name}\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}`.replaceAll("*/", "* /");
const notice = `/*! Stiction's page. It contains\n${licence("three")}\n${licence("uplot")}*/\n`;
const result = await build({
    entryPoints: ["src/main.js"], bundle: true, minify: true, write: false, outdir: "out", entryNames: "page",
    target: "es2020", format: "iife", charset: "ascii", legalComments: "none", banner: { js: notice },
});
let out = '#include "view.h"\n';
for (const file of result.outputFiles) {
    const name = file.path.endsWith(".css") ? "style" : "script";
    // A script inside a page ends at the first of these.
    if (/<\/(script|style)|<!--/i.test(file.text)) throw new Error(`${file.path}: holds the end of a script`);
    const bytes = Buffer.from(file.text, "utf8");
    out += `\nconst size_t cli_page_${name}_size = ${bytes.length};\nconst unsigned char cli_page_${name}[] = {\n`;
    for (let i = 0; i < bytes.length; i += 24) out += `${[...bytes.subarray(i, i + 24)].join(",")},\n`;
    out += "};\n";
}
writeFileSync(process.argv[2], out);
