/** A person's way to the simulated phones: who is there, and "scan this QR". Served on loopback only. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Simulated phones</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; }
  table { width: 100%; border-collapse: collapse; }
  th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #8884; }
  form { display: grid; gap: .5rem; margin-top: 1rem; }
  textarea { width: 100%; box-sizing: border-box; font: .85rem/1.4 ui-monospace, monospace; }
  button { justify-self: start; padding: .4rem 1rem; }
  output { min-height: 1.5em; }
</style>
<h1>Simulated phones</h1>
<p>These phones exist on this machine only. What they send and receive is listed at <code>/phones/&lt;number&gt;/inbox</code>.</p>
<table>
  <thead><tr><th>Phone</th><th>Name</th><th>Linked devices</th></tr></thead>
  <tbody id="phones"></tbody>
</table>
<form id="scan">
  <h2>Scan this QR</h2>
  <label>Phone <select id="phone" required></select></label>
  <label>Text of the QR code (or the eight characters of a pairing code)
    <textarea id="qr" rows="4" required spellcheck="false"></textarea></label>
  <button>Link the device</button>
  <output id="result" role="status"></output>
</form>
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
      cell(row, phone); cell(row, name);
      cell(row, devices.map(({ platform }) => platform).join(", ") || "none");
    }
  }
  $("scan").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = $("qr").value.trim();
    const typed = /^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/.test(text);
    $("result").textContent = "Linking …";
    const answer = await fetch("/phones/" + $("phone").value + (typed ? "/code" : "/scan"), {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(typed ? { code: text } : { qr: text }),
    });
    const { error } = await answer.json();
    $("result").textContent = error ? error.message : "Linked.";
    if (!error) $("qr").value = "";
    show();
  });
  show();
  setInterval(show, 3000);
</script>
</html>
`;
