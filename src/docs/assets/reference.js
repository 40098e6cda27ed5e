// The script for /docs: search, samples in the reader's language, and the API reference once somebody opens it.
import { addSearch } from "./search.js";

const guides = document.querySelector("#guides");
const { language } = document.querySelector("#reference").dataset;
const words = {
  en: {
    search: "Search",
    copy: "Copy",
    copied: "Copied",
    helper: "Needs the function api",
    missing: "This address doesn't exist. Search, or choose a chapter.",
    loading: "Loading the reference…",
    notLoaded: "The reference did not load. Reload the page.",
    none: "Nothing found",
  },
  pt: {
    search: "Buscar",
    copy: "Copiar",
    copied: "Copiado",
    helper: "Precisa da função api",
    missing: "Este endereço não existe. Busque, ou escolha um capítulo.",
    loading: "Carregando a referência…",
    notLoaded: "A referência não carregou. Recarregue a página.",
    none: "Nada encontrado",
  },
}[language];

// The link to the other language leads to the same section.
for (const link of document.querySelectorAll("a[hreflang]")) {
  link.addEventListener("click", () => {
    link.hash = location.hash;
  });
}

/** The server shows the guides even at an unknown address, so this script tells the reader that the address does not exist. */
function reportUnknownAddress() {
  if (performance.getEntriesByType("navigation")[0]?.responseStatus !== 404) return;
  guides.prepend(Object.assign(document.createElement("p"), { className: "site-note", role: "alert", textContent: words.missing }));
}

// The reference is 4 MB, so it loads only for its own addresses.
let isReference = false;
function openReference() {
  if (isReference || !location.hash.startsWith("#tag/")) return;
  isReference = true;
  const note = Object.assign(document.createElement("p"), { className: "site-note", role: "status", textContent: words.loading });
  guides.replaceChildren(note);
  import("./reference-component.js").catch(() => (note.textContent = words.notLoaded));
}

const CHOSEN_SAMPLE = "docs_sample";

/** Also returns null if the browser allows no storage. */
function rememberedSample() {
  try {
    return localStorage.getItem(CHOSEN_SAMPLE);
  } catch {
    return null;
  }
}

/** Shows the sample of each call in one language at a time. */
function offerSamples() {
  const groups = [...guides.querySelectorAll(".samples")].map((group) => {
    const samples = [...group.querySelectorAll("[data-sample]")];
    const buttons = [...group.querySelectorAll(".sample-names button")];
    buttons.forEach((button, at) =>
      button.addEventListener("click", () => {
        const { sample } = samples[at].dataset;
        show(sample);
        localStorage?.setItem(CHOSEN_SAMPLE, sample);
      }),
    );
    group.querySelector(".sample-names").append(copyButton(() => samples.find(({ hidden }) => !hidden).querySelector("code")));
    return { samples, buttons };
  });
  const show = (name) => {
    for (const { samples, buttons } of groups) {
      const known = samples.findIndex(({ dataset: { sample } }) => sample === name);
      const shown = Math.max(known, 0);
      samples.forEach((sample, at) => (sample.hidden = at !== shown));
      buttons.forEach((button, at) => (button.ariaPressed = String(at === shown)));
    }
  };
  show(rememberedSample());
}

const HELPER = "api";

/** Links each sample that calls the `api` function to the collapsed section that defines it. */
function linkHelper() {
  const helper = guides.querySelector(".fold");
  if (helper === null) return;
  helper.id = HELPER;
  for (const sample of guides.querySelectorAll("[data-sample]")) {
    if (helper.contains(sample) || !/\bapi\(/.test(sample.textContent)) continue;
    const link = Object.assign(document.createElement("a"), { href: `#${HELPER}`, textContent: words.helper });
    const line = Object.assign(document.createElement("p"), { className: "needs" });
    line.append(link);
    sample.append(line);
  }
}

const COPIED_MS = 2_000;

/** `codeOf` is called when the reader clicks the button. */
function copyButton(codeOf) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: words.copy });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(codeOf().textContent);
    button.textContent = words.copied;
    setTimeout(() => (button.textContent = words.copy), COPIED_MS);
  });
  return button;
}

/** Samples always have a copy button. Other code gets one when the pointer reaches it, because readers never look at most of it. */
function offerCopy({ target }) {
  const block = target.closest("pre");
  if (block === null || block.closest(".samples") !== null || block.querySelector("button") !== null) return;
  block.append(copyButton(() => block.querySelector("code")));
}

/** On a phone, the table of contents is folded until the reader opens it. */
function foldContents() {
  const contents = guides.querySelector(".guide-contents");
  const isPhone = matchMedia("(max-width: 760px)");
  const fold = () => (contents.open = !isPhone.matches);
  isPhone.addEventListener("change", fold);
  contents.addEventListener("click", ({ target }) => {
    if (target.closest("a") !== null) fold();
  });
  fold();
}

/** Marks the current address in the index, and shows that part of the index. */
function followAddress() {
  openReference();
  if (location.hash === `#${HELPER}`) guides.querySelector(".fold")?.setAttribute("open", "");
  const index = guides.querySelector(".guide-index");
  for (const link of guides.querySelectorAll(".guide-index a")) {
    const isHere = decodeURI(location.hash) === link.getAttribute("href");
    if (isHere) {
      link.closest(".guide-contents details")?.setAttribute("open", "");
      index.scrollTop = link.offsetTop - index.clientHeight / 2;
    }
    link.ariaCurrent = isHere ? "location" : null;
  }
}

addSearch({
  guides,
  words,
  button: document.querySelector(".site-search"),
  onChosen: (id) => {
    location.hash = id;
    // The reference has replaced the guides, so the page must be reloaded.
    if (isReference) location.reload();
  },
});
offerSamples();
linkHelper();
reportUnknownAddress();
foldContents();
guides.addEventListener("pointerover", offerCopy);
guides.addEventListener("focusin", offerCopy);
addEventListener("hashchange", followAddress);
followAddress();
