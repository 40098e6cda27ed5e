// What the routes of webhooks and events say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const webhooksTexts: Catalogue = {
  "Endpoints that events are delivered to, and what became of the deliveries.":
    "Endereços que recebem os eventos, e o que houve com cada entrega.",
  Webhooks: "Webhooks",
  "The instance that the event is of": "A instância do evento",
  "The bytes that are sent on every attempt; null when they are no longer kept, and for a key without the scope `manage` when the event is `instance.qr`":
    "Os bytes enviados em cada tentativa; null quando não estão mais guardados, e para uma chave sem o escopo `manage` quando o evento é `instance.qr`",
  "Public, https, final: redirects are not followed": "Público, https, final: redirecionamentos não são seguidos",
  "Signs every delivery: hex HMAC-SHA256 of the body in `X-Service-Signature`":
    "Assina cada entrega: HMAC-SHA256 do corpo, em hexadecimal, em `X-Service-Signature`",
  "Custom headers of every delivery: at most 20, values are written as text. Not those of framing, of proxies (`X-Forwarded-*`, `Via`, `X-Real-IP` …), of browsers (`Cookie`, `Origin`, `Sec-*`) and our own":
    "Cabeçalhos próprios em cada entrega: no máximo 20, os valores são enviados como texto. Menos os de enquadramento, de proxies (`X-Forwarded-*`, `Via`, `X-Real-IP` …), de navegadores (`Cookie`, `Origin`, `Sec-*`) e os nossos",
  "Attempts after a failed delivery: after 10 s, 60 s, 5 min, 30 min, 2 h":
    "Tentativas depois de uma entrega que falhou: após 10 s, 60 s, 5 min, 30 min, 2 h",
  "Registers a webhook endpoint": "Registra um endereço de webhook",
  "Null: all instances of the account": "Null: todas as instâncias da conta",
  "The account's webhook endpoints, oldest first": "Os endereços de webhook da conta, os mais antigos primeiro",
  "One webhook endpoint": "Um endereço de webhook",
  "Changes a webhook endpoint; binds at once, also for deliveries that wait":
    "Muda um endereço de webhook; vale na hora, também para entregas que esperam",
  "Removes a webhook endpoint; nothing is sent to it any more": "Remove um endereço de webhook; nada mais é enviado a ele",
  "Sends a signed test event now, once": "Envia agora, uma vez, um evento de teste assinado",
  "The event is `webhook.test`, of the endpoint's instance or of the account's first one. Nothing of it is kept.":
    "O evento é `webhook.test`, da instância do endereço ou da primeira da conta. Nada dele é guardado.",
  "Of an account with more than 200 instances it asks those with failures lately and the 200 newest, and says in the header `Instances-Asked` of how many; `instance_id` asks any one.":
    "Em uma conta com mais de 200 instâncias, são consultadas as que tiveram falhas há pouco e as 200 mais novas, e o cabeçalho `Instances-Asked` diz quantas do total; `instance_id` consulta qualquer uma delas.",
  "Deliveries of the last 7 days, newest first": "Entregas dos últimos 7 dias, as mais novas primeiro",
  "One delivery, with the bytes that are sent and every attempt": "Uma entrega, com os bytes enviados e cada tentativa",
  "Sends a delivery again, under the same id": "Envia uma entrega de novo, com o mesmo id",
  "Sends every failed delivery of a span of time again": "Envia de novo todas as entregas que falharam em um período",
  "The instance's events as they happen, as server-sent events": "Os eventos da instância à medida que acontecem, como server-sent events",
  "The envelopes of the webhooks, with ids of their own. One stream per key and instance: a second one ends the first. It ends by itself after five minutes; come back with `Last-Event-ID` and it goes on behind that event, or says `reset` when that is not known any more. It also ends, within a second, when the right to it does: the key is removed or expires, the share is removed or changed, an account is suspended or deleted, a password is changed, the subscription ends. `instance.qr` is sent only to those who may ask for the QR: it needs the scope `manage`.":
    "Os envelopes dos webhooks, com ids próprios. Um fluxo por chave e instância: um segundo encerra o primeiro. Ele termina sozinho depois de cinco minutos; volte com `Last-Event-ID` e ele continua depois daquele evento, ou diz `reset` quando ele já não é conhecido. Termina também, em até um segundo, quando acaba o direito a ele: a chave é removida ou expira, o compartilhamento é removido ou alterado, uma conta é suspensa ou excluída, uma senha é trocada, a assinatura termina. `instance.qr` só vai a quem pode pedir o QR: exige o escopo `manage`.",
  "Types, separated by commas; all unless said": "Tipos, separados por vírgulas; todos, se não for dito",
};
