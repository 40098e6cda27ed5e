// The search on /docs. It covers the guides, errors, routes and events on the page, by their names and texts.
const plain = (text) => text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
/** Removes the ending of a plural or of a Portuguese infinitive. */
const stem = (word) => word.replace(/(?<=...)(es|s|[ai]r)$/, "");
const wordsOf = (text) =>
  plain(text)
    .split(/[^\p{L}\p{N}._]+/u)
    .filter((word) => word !== "");

/** The words of a group find each other's places, but after the places with the word itself. */
const SYNONYMS = [
  ["photo", "foto", "picture", "image", "imagem"],
  ["audio", "voice", "voz"],
  ["resend", "redeliver", "reenviar", "reenvio"],
  ["retry", "repeat", "repetir"],
  ["signature", "assinatura", "hmac"],
  ["rate", "taxa"],
  ["delete", "remove", "apagar", "remover"],
];

/** More weak matches than this among the routes say only that most routes share the word. */
const SHARED_BY = 8;
/** The lowest score of a match outside the texts. */
const NAMED = 10;

/** The text of a guide's section: everything up to the next heading that has an address. */
function sectionOf(heading) {
  const parts = [];
  for (let at = heading.nextElementSibling; at !== null && !at.matches("h2, h3[id], article"); at = at.nextElementSibling) parts.push(at);
  return parts;
}

function placeOf(element) {
  const kind = { article: "route", tr: "error" }[element.localName] ?? "guide";
  const name = { route: "h3", error: "code" }[kind];
  const title = (name === undefined ? element : element.querySelector(name)).textContent;
  const call = (kind === "error" ? element.querySelector("td") : element.querySelector(".call"))?.textContent ?? "";
  // Leaves out the samples of routes, because most have the same headers.
  const parts = kind === "guide" ? sectionOf(element) : [...element.children].filter(({ localName }) => localName !== "pre");
  const text = ` ${wordsOf(parts.map(({ innerHTML }) => innerHTML.replaceAll(/<[^>]*>/g, " ")).join(" ")).join(" ")}`;
  const bonus = element.localName === "h2" ? 12 : kind === "route" ? 4 : 0;
  return { id: element.id, kind, name: title, call, bonus, words: wordsOf(title), text };
}

/** A match in a title scores highest, then one in the table of errors, then one in a path, then one in a text. */
function scoreOf(place, word) {
  const most = place.kind === "guide" ? 9 : 4;
  const inText = place.text.includes(` ${stem(word)}`) ? most : place.text.includes(word) ? 2 : 0;
  const isError = place.kind === "error";
  const at = place.words.findIndex((each) => each === word || stem(each) === stem(word));
  if (at >= 0) return isError ? 50 : 100 - at;
  if (isError) return place.call === word ? 38 : place.words.some((each) => each.startsWith(word)) ? 30 : inText;
  if (place.words.some((each) => each.startsWith(stem(word)))) return 60;
  if (plain(place.name).includes(word)) return 40;
  return plain(place.call).includes(word) ? 25 : inText;
}

/** A synonym in a title scores higher than the word itself in a text. */
function bestScoreOf(place, word) {
  const others = SYNONYMS.find((group) => group.includes(word)) ?? [];
  return Math.max(scoreOf(place, word), ...others.map((other) => scoreOf(place, other) * 0.6));
}

function found(places, query) {
  const asked = wordsOf(query);
  if (asked.length === 0) return places.filter(({ bonus }) => bonus > 4);
  const matches = places
    .map((place) => ({ place, scores: asked.map((word) => bestScoreOf(place, word)) }))
    .filter(({ scores }) => scores.every((score) => score > 0));
  const isShared = ({ place, scores }) => place.kind === "route" && Math.min(...scores) < NAMED;
  const own = matches.filter((match) => !isShared(match));
  return (own.length > 0 && matches.length - own.length > SHARED_BY ? own : matches)
    .map(({ place, scores }) => ({ place, score: scores.reduce((sum, score) => sum + score, place.bonus - place.words.length / 2) }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 20)
    .map(({ place }) => place);
}

/** `onChosen` is called with the id of the chosen place. */
export function addSearch({ guides, button, words, onChosen }) {
  const places = [...guides.querySelectorAll("h2[id], h3[id], tr[id], article[id]")].map(placeOf);
  const dialog = Object.assign(document.createElement("dialog"), { className: "search", ariaLabel: words.search });
  const field = Object.assign(document.createElement("input"), { type: "text", role: "combobox", autocomplete: "off" });
  Object.assign(field, { ariaLabel: words.search, ariaExpanded: "true", placeholder: words.search });
  field.setAttribute("aria-controls", "found");
  const list = Object.assign(document.createElement("ul"), { id: "found", role: "listbox", ariaLabel: words.search });
  const nothing = Object.assign(document.createElement("p"), { textContent: words.none, hidden: true });
  dialog.append(field, list, nothing);
  document.body.append(dialog);

  let current = 0;
  const mark = (index) => {
    const options = [...list.children];
    current = Math.min(Math.max(index, 0), Math.max(options.length - 1, 0));
    options.forEach((option, at) => (option.ariaSelected = String(at === current)));
    field.setAttribute("aria-activedescendant", options[current]?.id ?? "");
    options[current]?.scrollIntoView({ block: "nearest" });
  };
  const optionOf = ({ id, name, call }, at) => {
    const option = Object.assign(document.createElement("li"), { id: `found-${at}`, role: "option" });
    option.append(Object.assign(document.createElement("span"), { textContent: name }));
    if (call !== "") option.append(Object.assign(document.createElement("code"), { textContent: call }));
    option.addEventListener("click", () => {
      dialog.close();
      onChosen(id);
    });
    return option;
  };
  const refill = () => {
    list.replaceChildren(...found(places, field.value).map(optionOf));
    nothing.hidden = list.children.length > 0;
    mark(0);
  };
  const open = () => {
    if (dialog.open) return;
    refill();
    dialog.showModal();
    field.select();
  };
  field.addEventListener("input", refill);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) list.children[current]?.click();
    else mark(current + step);
  });
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  button.hidden = false;
  button.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, [contenteditable=true]") !== null;
    const isAsked = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping);
    if (!isAsked) return;
    event.preventDefault();
    open();
  });
}
