// Runs before the first paint: the chosen theme and language, so that nothing flashes.
(function () {
  var root = document.documentElement;
  var read = function (name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  var theme = read("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  var language = read("language") || (/^pt\b/i.test(navigator.language) ? "pt" : "en");
  root.lang = language === "en" ? "en" : "pt-BR";
  if (read("hide") === "yes") root.dataset.hide = "yes";
})();
