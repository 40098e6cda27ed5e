async function api(method, path, body, headers = {}) {
  const answer = await fetch("{{url}}/api" + path, {
    method,
    headers: { "X-Api-Key": process.env.API_KEY, "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = await answer.json();
  if (answer.ok) return json;
  const { code, message, details } = json.error;
  const retryAfter = Number(answer.headers.get("retry-after") ?? 0);
  throw Object.assign(new Error(message), { status: answer.status, code, details, requestId: json.request_id, retryAfter });
}
