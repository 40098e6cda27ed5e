// The API reference of /docs. Without this setting, zod would test whether the policy allows `eval` and thereby violate the policy.
globalThis.__zod_globalConfig = { jitless: true };

const mount = document.querySelector("#reference");
const guides = document.querySelector("#guides");
const nonce = document.querySelector('meta[property="csp-nonce"]').content;
const { language } = mount.dataset;
const words = {
  en: { objects: "Objects", code: "Code", copy: "Copy", copyAsMarkdown: "Copy as Markdown" },
  // These labels are short, because the component's own are too wide for a phone.
  pt: { objects: "Objetos", code: "Código", copy: "Copiar", copyAsMarkdown: "Copiar Markdown" },
}[language];

// Adds the nonce that the policy requires, because some of the component's style elements lack it.
const createElement = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = createElement(name, options);
  if (name === "style") element.nonce = nonce;
  return element;
};

/** Adds missing support for keyboards and screen readers. */
const completeAccessibility = () => {
  const each = (selector, complete) => document.querySelectorAll(selector).forEach(complete);
  each("pre > code:not([tabindex]), .endpoints, .cm-scroller:not(:has([contenteditable=true]))", (scrollable) => (scrollable.tabIndex = 0));
  each("[role=combobox][contenteditable]:not([aria-expanded])", (field) => {
    field.ariaExpanded = "false";
    field.ariaLabel ??= field.dataset.placeholder ?? "";
  });
  each(".cm-content:not([aria-label])", (editor) => (editor.ariaLabel = words.code));
  each("button[role=none]", (button) => button.removeAttribute("role"));
  each("button[aria-controls]", (button) => {
    if (document.getElementById(button.getAttribute("aria-controls")) === null) button.removeAttribute("aria-controls");
  });
  each('button[class*="/copy-button"]:not([aria-label])', (button) => (button.ariaLabel = words.copy));
  each("button.show-more[aria-label]", (button) => button.removeAttribute("aria-label"));
  each(".response-card[role=region]", (card) => (card.role = "group"));
  each("section[aria-label^=Notifications]", (section, index) => (section.ariaLabel = `Notifications ${index + 1}`));
};
new MutationObserver(completeAccessibility).observe(document.body, { childList: true, subtree: true });

/** While the console is open, the content behind it is inert. A closed console stays in the document, but without its class. */
const followConsole = () => {
  const isOpen = document.querySelector(".scalar-client--open") !== null;
  for (const reference of document.querySelectorAll(".references-rendered")) reference.inert = isOpen;
};
new MutationObserver(followConsole).observe(document.body, { childList: true, subtree: true, attributeFilter: ["class"] });

// The component's tooltip swallows the next Escape, even if the tooltip is already closed by then. Any other key resets this state.
const isTooltipOpen = () => (document.querySelector("#scalar-tooltip")?.getClientRects().length ?? 0) > 0;
const freeEscape = ({ key }) => {
  if (key === "Escape" && !isTooltipOpen()) document.dispatchEvent(new KeyboardEvent("keydown"));
};
addEventListener("keydown", freeEscape, { capture: true });

/** The console calls the gateway that served this page, whatever URL the document has, because the policy allows no other. */
const fetchFromHere = async (input, init) => {
  const request = new Request(input, init);
  const { method, headers, signal } = request;
  const { pathname, search } = new URL(request.url);
  const body = request.body === null ? null : await request.arrayBuffer();
  return fetch(location.origin + pathname + search, { method, headers, body, signal, credentials: "omit" });
};

await import("./component/standalone.js");
// The "loading" note stays until the component shows its text.
const whenShown = new MutationObserver(() => {
  if (document.querySelector(".references-rendered") === null) return;
  whenShown.disconnect();
  guides.remove();
});
whenShown.observe(mount, { childList: true, subtree: true });
mount.hidden = false;
globalThis.Scalar.createApiReference(mount, {
  url: mount.dataset.document,
  localization: {
    locale: language,
    translations: { actions: { copyAsMarkdown: words.copyAsMarkdown }, apiClient: { authSelector: { selectedType: "{type}" } } },
  },
  customFetch: fetchFromHere,
  authentication: { preferredSecurityScheme: "apiKey" },
  // Prevents requests to other origins.
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  hideSearch: true,
  documentDownloadType: "none",
  theme: "none",
  modelsSectionLabel: words.objects,
  defaultOpenFirstTag: false,
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: true,
  generateTagSlug: ({ name }) => name,
  generateOperationSlug: ({ operationId }) => operationId,
  setPageTitle: ({ title, document: { title: api } }) => (title === api ? api : `${title} – ${api}`),
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: {
    c: true,
    clojure: true,
    csharp: true,
    dart: true,
    fsharp: true,
    http: true,
    java: true,
    julia: true,
    kotlin: true,
    node: true,
    objc: true,
    ocaml: true,
    powershell: true,
    r: true,
    ruby: true,
    rust: true,
    swift: true,
    js: ["axios", "jquery", "ofetch", "xhr"],
    php: ["guzzle", "laravel"],
    python: ["aiohttp", "httpx_async", "httpx_sync", "python3"],
    shell: ["httpie", "wget"],
  },
});
