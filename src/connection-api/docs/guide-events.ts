// The guide's part on events: what the webhook of a connection receives (docs/events.md, "Connection API events").
import { CONNECTION_WEBHOOKS } from "../events/events.ts";
import { EVENTS_IN_PORTUGUESE } from "../events/portuguese.ts";

const SCHEDULE = "5 s, 5 min, 30 min, 2 h, 5 h, 10 h e 10 h";

export const EVENTS_GUIDE = `## Eventos

O webhook da conexão é configurado no painel. Cada evento chega como \`POST\` com este envelope; \`id\` é igual ao cabeçalho \`webhook-id\` e não muda entre tentativas:

\`\`\`json
{
  "id": "msg_2h7RzYkq0Jm9Xw3VbN5tCd",
  "type": "message.received",
  "created_at": "2026-11-20T12:00:00.000Z",
  "instance": { "id": 1, "name": "Loja", "phone": "5511900000001" },
  "data": {
    "message_id": "3EB0C431C26A1916E07A", "chat_id": "5511900000002@c.us", "from": "5511900000002", "push_name": "Ana",
    "is_group": false, "type": "text", "text": "Olá!", "media": null, "quoted": null, "mentions": [], "timestamp": 1795176000
  }
}
\`\`\`

| Evento | Quando |
|---|---|
${CONNECTION_WEBHOOKS.events.map(({ type, summary }) => `| \`${type}\` | ${EVENTS_IN_PORTUGUESE[summary]} |`).join("\n")}

- Responda 2xx em até 10 segundos. Outra resposta, um redirecionamento ou silêncio é uma falha, e há novas tentativas depois de ${SCHEDULE}.
- A ordem não é garantida e o mesmo evento pode chegar duas vezes: ordene por \`created_at\`, descarte pelo \`id\`.
- 72 horas sem nenhuma entrega aceita desligam o webhook; o dono é avisado por e-mail.

### Conferir a assinatura

O esquema é o Standard Webhooks: \`webhook-signature\` traz uma ou mais entradas \`v1,<base64>\` (duas nas 24 horas depois de trocar o segredo). Use os bytes do corpo como chegaram:

\`\`\`js verify
import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(headers, rawBody, secret, now = Date.now()) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (Math.abs(now / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(id + "." + timestamp + "." + rawBody).digest();
  return signatures.split(" ").some((entry) => {
    const given = Buffer.from(entry.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
\`\`\``;
