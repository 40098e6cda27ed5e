// The page's own script: opens the route that the address names, finds routes, copies examples. Without it all is there, closed.
export const SCRIPT = `
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", open);
open();

const search = document.querySelector("aside input");
search.hidden = false;
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const row of document.querySelectorAll("[data-find]")) row.hidden = !words.every((word) => row.dataset.find.includes(word));
  for (const family of document.querySelectorAll(".family")) family.hidden = family.querySelector("details.operation:not([hidden])") === null;
});

const portuguese = document.documentElement.lang.startsWith("pt");
for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = portuguese ? "Copiar" : "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = portuguese ? "Copiado" : "Copied";
  });
  block.append(button);
}
`;
