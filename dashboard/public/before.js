// Applies theme and language before the first paint, and starts the first page's requests. `data-early` lists files by language and URL.
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

  var early = document.currentScript.dataset.early;
  if (early === undefined) return;
  var files = JSON.parse(early);
  var load = function (names) {
    (names || []).forEach(function (name) {
      var link = document.createElement("link");
      link.rel = "modulepreload";
      link.href = name;
      document.head.append(link);
    });
  };
  // The API client (`src/api/client.ts`) uses these early responses.
  var answers = (window.early = {});
  var ask = function (path) {
    var url = "/api/dashboard" + path;
    var answer = fetch(url, {
      headers: { Accept: "application/json", "Accept-Language": root.lang },
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
    });
    answer.catch(function () {});
    answers[url] = answer;
    return answer;
  };
  var isList = /^\/(connections)?$/.test(location.pathname);
  load(files[language]);
  if (isList) load(files.list);
  ask("/session")
    .then(function (answer) {
      return answer.clone().json();
    })
    .then(function (session) {
      // Requests the list only if there is a session, because a rejected call would show up in the console.
      var isIn = session.data.user !== null && !session.data.suspended;
      return isIn && isList && location.search === "" ? ask("/connections?limit=25&activity=24") : null;
    })
    .catch(function () {});
})();
