// Make the theme's assets as light as the pages need. It ships a whole CSS framework and 1,400 icons,
// and uses a fifth of the one and a dozen of the others. With all of them no chapter stays below 1 MB.
import { readFile, writeFile } from "node:fs/promises";
import { PurgeCSS } from "purgecss";
import subsetFont from "subset-font";

const assets = `${process.argv[2]}/_static`;
const purged = await new PurgeCSS().purge({
  content: [`${process.argv[2]}/**/*.html`, `${assets}/*.js`, `${assets}/scripts/*.js`],
  css: ["styles/*.css", "mystnb.*.css"].map((name) => `${assets}/${name}`),
});
for (const { file, css } of purged) await writeFile(file, css);

// The icons that are left are named in the styles by their code points, \f002 and the like.
const codes = purged.flatMap(({ css }) => css.match(/(?<=\\)f[0-9a-f]{3}\b/g) ?? []);
const icons = String.fromCodePoint(...codes.map((code) => parseInt(code, 16)));
const font = `${assets}/vendor/fontawesome/webfonts/fa-solid-900.woff2`;
await writeFile(font, await subsetFont(await readFile(font), icons, { targetFormat: "woff2" }));
