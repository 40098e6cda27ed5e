// Build and development server for the dashboard. API calls are proxied to `GATEWAY`, the URL of a running sandbox.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const target = process.env["GATEWAY"] ?? "http://127.0.0.1:8787";

const MAIN = /\/dashboard\/src\/main\.tsx$/;
const LIST = /\/dashboard\/src\/pages\/connections\/connections\.tsx$/;
const PLATFORM = /node_modules\/(react|react-dom|scheduler|@tanstack|use-sync-external-store)\//;
const ICON = /lucide-react\/dist\/esm\/icons\//;
/** Modules that nearly every page needs right after the first load. */
const SOON = /\/dashboard\/src\/(api\/(live|fresh)|domain\/coalesce)\.ts$/;
/** Widgets of lists, which pages without a list do not need. */
const LIST_WIDGETS = /\/(filters\.tsx|strip\.tsx?)$/;
const LOADED = /\/(platform|first|rolldown-runtime)-/;
/** Bundles small widgets that most pages use, because each would cost a request of its own. The chat uses none of them. */
const PIECES = /\/dashboard\/src\/ui\/(panel|facts|support|use-closing|phone-fold|graphics\/level|forms\/action)\.tsx?$/;
/** Shows a person. Apart from the other widgets of the list, because a chat uses none of those. */
const PEOPLE = /\/dashboard\/src\/(ui\/(avatar|phone)\.tsx|domain\/phone\.ts)$/;
/** Modules that the list of chats, a chat and its later parts share. */
const CHATS = new RegExp(
  `/dashboard/src/(${[
    "domain/(chats|messages/(author|formatted-text|outgoing))",
    "ui/near-edge",
    "pages/chats/(deliver-texts|drafts-store|names|reads)",
    "pages/composer/recordings",
    "pages/message-content/(file-address|grows|quote|quoted-words)",
    "pages/waiting/waiting-reads",
  ].join("|")})\\.tsx?$`,
);
/** The pages of chats. */
const OF_CHATS = /\/dashboard\/src\/pages\/(chats|chat-head|composer|message-content|waiting)\//;
/** Parts of the platform packages used by only some pages. */
const LATER = /\/(infiniteQueryObserver|useInfiniteQuery|useBlocker)\.js$/;
const FIRST_TEXTS = {
  pt: /\/texts\/pt\/(ui|shell|reasons|connections|failures)\.ts$/,
  en: /\/texts\/en\/(ui|shell|reasons|connections|failures)\.ts$/,
};

/** Imports each icon from its own file. With the index of all icons, the first load would include every icon of every page. */
function iconsByFile(): Plugin {
  const index = createRequire(import.meta.url)
    .resolve("lucide-react/package.json")
    .replace(/package\.json$/, "dist/esm/lucide-react.mjs");
  const files = new Map<string, string>();
  for (const [, names = "", file = ""] of readFileSync(index, "utf8").matchAll(/^export \{ (.+) \} from '\.\/(icons\/.+)\.mjs';$/gm))
    for (const [, name = ""] of names.matchAll(/default as (\w+)/g)) files.set(name, file);
  const importOf = (name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`lucide-react has no icon ${name}`);
    return `import ${name} from "lucide-react/${file}";`;
  };
  return {
    name: "icons-by-file",
    apply: "build",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith(".tsx") && !id.endsWith(".ts")) return null;
      return code.replace(/^import \{([^}]+)\} from "lucide-react";$/gm, (_, names: string) =>
        names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && !name.startsWith("type "))
          .map(importOf)
          .join(""),
      );
    },
  };
}

/** Modules loaded with the entry, those loaded in addition with the list, and the icons of people and of chats. */
const loaded = { first: new Set<string>(), list: new Set<string>(), people: new Set<string>(), talk: new Set<string>() };

/** Bundles modules into fewer, larger files, because each file costs a round trip and is compressed separately. */
function loadedTogether(): Plugin {
  return {
    name: "loaded-together",
    buildEnd() {
      const collect = (id: string, into: Set<string>) => {
        if (into.has(id) || loaded.first.has(id)) return;
        into.add(id);
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) collect(imported, into);
      };
      for (const [part, entry] of [
        ["first", MAIN],
        ["list", LIST],
      ] as const)
        for (const id of this.getModuleIds()) if (entry.test(id)) collect(id, loaded[part]);
      // Bundles shared icons with the first files, because a separate request would cost more than the icon.
      for (const id of this.getModuleIds()) {
        const importers = this.getModuleInfo(id)?.importers ?? [];
        const isShared = ICON.test(id) && importers.length > 1;
        if (isShared && importers.every((importer) => OF_CHATS.test(importer))) loaded.talk.add(id);
        else if (isShared || SOON.test(id)) loaded.first.add(id);
        else if (ICON.test(id) && importers.every((importer) => PEOPLE.test(importer))) loaded.people.add(id);
      }
    },
    // Lists the files that `public/before.js` preloads.
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        if (bundle === undefined) return html;
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const named = (name: string) => chunks.filter((chunk) => chunk.name === name).map(({ fileName }) => `/${fileName}`);
        const list = chunks.filter(({ facadeModuleId }) => facadeModuleId !== null && LIST.test(facadeModuleId));
        const early = {
          pt: [...named("texts-pt"), ...named("failures")],
          en: [...named("texts-en"), ...named("failures")],
          list: [...list.map(({ fileName }) => `/${fileName}`), ...named("people"), ...named("widgets"), ...named("lists")],
        };
        return html.replace('data-early="{}"', `data-early='${JSON.stringify(early)}'`);
      },
    },
  };
}

export default defineConfig({
  plugins: [iconsByFile(), react(), tailwindcss(), loadedTogether()],
  // Nothing is inlined, because the content security policy forbids inline scripts and fonts from `data:` URLs.
  build: {
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // A page does not preload files that the document has already loaded.
      resolveDependencies: (_file, needed, { hostType }) => (hostType === "html" ? needed : needed.filter((file) => !LOADED.test(file))),
    },
    target: "es2022",
    // A subfolder, because the documentation's files are in `/assets`.
    assetsDir: "assets/app",
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "platform", test: (id) => PLATFORM.test(id) && !LATER.test(id) },
            { name: "texts-pt", test: FIRST_TEXTS.pt },
            { name: "texts-en", test: FIRST_TEXTS.en },
            { name: "failures", test: /\/failures\/texts\.ts$/ },
            { name: "first", test: (id) => loaded.first.has(id) && !MAIN.test(id) && !LATER.test(id) },
            { name: "lists", test: (id) => loaded.list.has(id) && LIST_WIDGETS.test(id), minShareCount: 2 },
            { name: "pieces", test: (id) => PIECES.test(id) && !loaded.first.has(id) && !loaded.list.has(id) },
            { name: "talk", test: (id) => CHATS.test(id) || loaded.talk.has(id) },
            { name: "people", test: (id) => PEOPLE.test(id) || loaded.people.has(id) },
            { name: "widgets", test: (id) => loaded.list.has(id) && !LIST.test(id), minShareCount: 2 },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
  // Sets the origin, because the API rejects changes from another origin.
  server: { proxy: { "/api": { target, changeOrigin: true, headers: { origin: target } }, "/docs": { target, changeOrigin: true } } },
});
