/** The HTML page of the simulated phones: who is there, what one of them has written and got, "scan this QR". Served on loopback only. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Simulated phones</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; background: Canvas; }
  h1 { font-size: 1.4rem; }
  table { width: 100%; border-collapse: collapse; }
  th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #8884; }
  form { display: grid; gap: .5rem; margin-top: 1rem; }
  textarea { width: 100%; box-sizing: border-box; font: .85rem/1.4 ui-monospace, monospace; }
  button { justify-self: start; padding: .4rem 1rem; }
  output { min-height: 1.5em; }
  #messages { max-height: 24rem; overflow-y: auto; padding: 0; list-style: none; }
  #messages li { padding: .2rem 0; overflow-wrap: anywhere; white-space: pre-wrap; }
  .buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
</style>
<main>
<h1>Simulated phones</h1>
<p>These phones exist on this machine only. A number opens its phone.</p>
<table>
  <thead><tr><th>Phone</th><th>Name</th><th>Linked devices</th></tr></thead>
  <tbody id="phones"></tbody>
</table>
<section id="one" aria-labelledby="whose" hidden>
  <h2 id="whose"></h2>
  <ul id="messages" tabindex="0" aria-label="Messages"></ul>
  <form id="write">
    <label>To <input name="to" required placeholder="5511900000001"></label>
    <label>Message <input name="text" required></label>
    <div class="buttons">
      <button>Write</button>
      <button type="button" id="call">Call</button>
      <button type="button" id="drop">Lose the line of its linked devices</button>
    </div>
    <output id="written" role="status"></output>
  </form>
  <p><a id="inbox">All about these messages, as JSON</a></p>
</section>
<form id="new">
  <h2>A new phone</h2>
  <label>Number <input name="phone" required inputmode="numeric" pattern="[0-9]{8,15}" placeholder="5511900000003"></label>
  <label>Name <input name="name" required maxlength="60"></label>
  <button>Add the phone</button>
  <output id="added" role="status"></output>
</form>
<form id="scan">
  <h2>Scan this QR</h2>
  <label>Phone <select id="phone" required></select></label>
  <label>Text of the QR code (or the eight characters of a pairing code)
    <textarea id="qr" rows="4" required spellcheck="false"></textarea></label>
  <button>Link the device</button>
  <output id="result" role="status"></output>
</form>
</main>
<script>
  const $ = (id) => document.getElementById(id);
  const cell = (row, text) => { row.insertCell().textContent = text; };
  async function show() {
    const { data } = await (await fetch("/phones")).json();
    const chosen = $("phone").value;
    $("phones").replaceChildren();
    $("phone").replaceChildren(...data.map(({ phone, name }) => new Option(name + " (" + phone + ")", phone)));
    if (chosen) $("phone").value = chosen;
    for (const { phone, name, devices } of data) {
      const row = $("phones").insertRow();
      const inbox = row.insertCell().appendChild(document.createElement("a"));
      inbox.href = "#" + phone; inbox.textContent = phone;
      cell(row, name);
      cell(row, devices.map(({ platform }) => platform).join(", ") || "none");
    }
    const open = data.find(({ phone }) => "#" + phone === location.hash);
    $("one").hidden = !open;
    if (open) await showPhone(open);
  }
  let shown = "";
  async function showPhone({ phone, name }) {
    const { data } = await (await fetch("/phones/" + phone + "/inbox")).json();
    const now = phone + JSON.stringify(data);
    if (now === shown) return;
    shown = now;
    $("whose").textContent = name + " (" + phone + ")";
    $("inbox").href = "/phones/" + phone + "/inbox";
    $("messages").replaceChildren(...data.map((message) => {
      const item = document.createElement("li");
      const who = message.from_me ? "to " + message.chat_id : "from " + (message.from ?? message.chat_id);
      item.textContent = new Date(message.timestamp * 1000).toLocaleTimeString() + " " + who + ": " + (message.text ?? "[" + message.type + "]");
      return item;
    }));
    $("messages").scrollTop = $("messages").scrollHeight;
  }
  const mine = () => "/phones/" + location.hash.slice(1);
  const done = (text) => ({ error }) => { $("written").textContent = error ? error.message : text; return show(); };
  const post = async (path, body) => (await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  })).json();
  $("write").addEventListener("submit", (event) => {
    event.preventDefault();
    const { to, text } = event.target.elements;
    const target = to.value.includes("@") ? { chat_id: to.value } : { to: to.value };
    void post(mine() + "/send", { ...target, text: text.value }).then(done("Written."));
  });
  $("call").addEventListener("click", () => void post(mine() + "/call", { to: $("write").elements.to.value }).then(done("It rings.")));
  $("drop").addEventListener("click", () => void post("/faults", { phone: location.hash.slice(1), kind: "drop_socket" }).then(done("Lost.")));
  addEventListener("hashchange", () => { $("written").textContent = ""; void show(); });
  $("new").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { phone, error } = await post("/phones", Object.fromEntries(new FormData(event.target)));
    $("added").textContent = error ? error.message : "Added.";
    if (error) return;
    event.target.reset();
    await show();
    $("phone").value = phone;
  });
  $("scan").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = $("qr").value.trim();
    const typed = /^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/.test(text);
    $("result").textContent = "Linking …";
    const { error } = await post("/phones/" + $("phone").value + (typed ? "/code" : "/scan"), typed ? { code: text } : { qr: text });
    $("result").textContent = error ? error.message : "Linked.";
    if (!error) $("qr").value = "";
    show();
  });
  show();
  setInterval(show, 3000);
</script>
</html>
`;
