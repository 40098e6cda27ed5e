// The search on /docs. It covers the guides, chapters, routes and events on the page.
const plain = (text) => text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
const stem = (word) => word.replace(/(?<=...)(es|s)$/, "");
const wordsOf = (text) =>
  plain(text)
    .split(/[^\p{L}\p{N}._]+/u)
    .filter((word) => word !== "");

function placeOf(element) {
  const isRoute = element.localName === "article";
  const name = (isRoute ? element.querySelector("h3") : element).textContent;
  const call = element.querySelector(".call")?.textContent ?? "";
  const bonus = element.localName === "h2" ? 12 : isRoute ? 4 : 0;
  // Leaves out the errors, because most routes have the same ones.
  const shown = [...element.childNodes].filter(({ localName }) => localName !== "details");
  const text = plain(shown.map(({ textContent }) => textContent).join(" "));
  return { id: element.id, name, call, bonus, words: wordsOf(name), text };
}

/** A match in a name scores higher than one in a path, and a match in a path higher than one in a text. */
function scoreOf(place, word) {
  const at = place.words.findIndex((each) => each === word || stem(each) === stem(word));
  if (at >= 0) return 100 - at;
  if (place.words.some((each) => each.startsWith(word))) return 60;
  if (plain(place.name).includes(word)) return 40;
  if (plain(place.call).includes(word)) return 25;
  return place.text.includes(word) ? 5 : 0;
}

function found(places, query) {
  const asked = wordsOf(query);
  if (asked.length === 0) return places.filter(({ bonus }) => bonus > 4);
  return places
    .map((place) => ({ place, scores: asked.map((word) => scoreOf(place, word)) }))
    .filter(({ scores }) => scores.every((score) => score > 0))
    .map(({ place, scores }) => ({ place, score: scores.reduce((sum, score) => sum + score, place.bonus - place.words.length / 2) }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 20)
    .map(({ place }) => place);
}

/** `onChosen` is called with the id of the chosen place. */
export function addSearch({ guides, button, words, onChosen }) {
  const places = [...guides.querySelectorAll("h2[id], h3[id], h4[id], article[id]")].map(placeOf);
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
