async function api(method, path, body, headers = {}) {
  const answer = await fetch("{{url}}/api/v1" + path, {
    method,
    headers: { "X-Api-Key": process.env.API_KEY, "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = await answer.json();
  if (answer.ok) return json;
  const { codigo: code, mensagem, detalhes: details } = json.error;
  const retryAfter = Number(answer.headers.get("retry-after") ?? 0);
  throw Object.assign(new Error(mensagem), { status: answer.status, code, details, retryAfter });
}
