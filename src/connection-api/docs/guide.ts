// What stands before the reference, in Markdown. Its `sh` and `js` blocks are executed by a test as they stand.
import { FAILURE_ANSWERS } from "../../domain/failures/answers.ts";
import { PORTUGUESE } from "../../domain/failures/portuguese.ts";
import type { FailureCode } from "../../protocol/failures.ts";
import { EVENTS_GUIDE } from "./guide-events.ts";

export function guide(appUrl: string): string {
  return [firstSteps(appUrl), authentication(appUrl), SENDING, idempotency(appUrl), limits(), errors(), shapes(appUrl), EVENTS_GUIDE].join(
    "\n\n",
  );
}

const firstSteps = (appUrl: string) => `## Primeiros passos

Cada chave pertence a uma conexão, isto é, a um número. Gere a chave no painel (Integrações, cartão API), guarde-a e envie:

\`\`\`sh
curl -X POST '${appUrl}/api/v1/messages/text' \\
  -H "X-Api-Key: $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"to":"5511900000002","text":"Olá!"}'
\`\`\`

A resposta chega quando a rede confirma o envio e traz o \`message_id\`, o mesmo que aparece depois nos eventos. O mesmo, em JavaScript:

\`\`\`js
const answer = await fetch("${appUrl}/api/v1/messages/text", {
  method: "POST",
  headers: { "X-Api-Key": process.env.API_KEY, "Content-Type": "application/json" },
  body: JSON.stringify({ to: "5511900000002", text: "Olá!" }),
});
if (!answer.ok) throw new Error((await answer.json()).error.codigo);
const { message_id } = await answer.json();
\`\`\``;

const authentication = (appUrl: string) => `## Autenticação

A chave (\`svc_…\`) vai em \`X-Api-Key\` ou em \`Authorization: Bearer\`; quando os dois são enviados, vale \`X-Api-Key\`.

\`\`\`sh
curl '${appUrl}/api/v1/instance' -H "Authorization: Bearer $API_KEY"
\`\`\`

- Só HTTPS. Uma chave alcança só a sua conexão, por isso nenhuma rota leva o id dela.
- Até 3 chaves ativas por conexão. Para trocar sem parar: gere a segunda, passe o sistema para ela e revogue a primeira. A revogação vale na hora e não tem volta.
- Chave ausente, malformada, desconhecida ou revogada: sempre o mesmo \`401 chave_invalida\`. Depois de 20 delas em 10 minutos, o endereço IP fica 15 minutos em \`429 muitas_tentativas\`; chamadas com chave válida seguem funcionando.
- Sem assinatura ativa do dono da conta: \`402 sem_assinatura\`.`;

const SENDING = `## Envios

O destino é exatamente um dos dois: \`to\` (telefone, só dígitos) ou \`chat_id\` (grupos, canais e conversas cujo telefone não se conhece). Um texto tem até 65.536 caracteres, uma legenda até 1.024.

Arquivos vão em \`media\`, por \`base64\` ou por \`url\`. O corpo tem no máximo 25 MB, o que dá uns 18 MB de arquivo em base64; maiores vão por \`url\`, até 50 MB, baixados em 30 segundos com até 3 redirecionamentos.

| Resposta | O que fazer |
|---|---|
| 200 | A rede confirmou. |
| 424 \`resultado_incerto\` | Pode ter saído. Consulte \`GET /api/v1/messages/{messageId}\` com o \`message_id\` de \`detalhes\` antes de repetir. |
| 423 \`bloqueio_temporario\`, 429 \`limite_do_rede\` | Pare de enviar e espere. Insistir aumenta o risco de banimento. |
| 502, 503, 504 | Repita com esperas crescentes e respeite \`Retry-After\`. |`;

const idempotency = (appUrl: string) => `## Repetir sem duplicar

Toda rota que muda algo aceita \`Idempotency-Key\`: de 1 a 255 caracteres ASCII visíveis. O mesmo valor, com a mesma chave e em 24 horas, recebe a primeira resposta com o cabeçalho \`idempotent-replayed: true\`, e a ação não se repete, nem que o processo caia no meio.

\`\`\`sh
curl -X POST '${appUrl}/api/v1/messages/text' \\
  -H "X-Api-Key: $API_KEY" \\
  -H 'Idempotency-Key: pedido-1042-confirmacao' \\
  -H 'Content-Type: application/json' \\
  -d '{"to":"5511900000002","text":"Pedido 1042 confirmado","reference":"pedido-1042"}'
\`\`\`

- Enquanto a primeira ainda corre, a segunda espera por ela.
- Recusas dadas antes de qualquer tentativa (400, 401, 402, 404, 409, 413, 415, 423, 429, 501, 503) não são guardadas: com o mesmo valor se tenta de novo.
- Com o mesmo valor e outro corpo ou rota vale a primeira resposta, e \`idempotency-mismatch: true\` mostra o engano.`;

const limits = () => `## Limites

| Limite | Valor | Depois |
|---|---|---|
| Rajada, por chave | 200 pedidos em 10 segundos | 429 \`excesso_de_pedidos\` |
| Consulta repetida (mesma chave, rota e parâmetros) | 60 por minuto | 429 \`consulta_repetida\` |
| Chaves inválidas, por IP | 20 em 10 minutos | 429 \`muitas_tentativas\` por 15 minutos |
| Corpo | 25 MB | 413 \`corpo_grande_demais\` |
| Arquivo por url | 50 MB, 30 segundos | 413 \`midia_grande\` |

Espere os segundos de \`Retry-After\` e volte mais devagar. Cada resposta traz \`RateLimit\` e \`RateLimit-Policy\`. Leituras podem vir de um cache de 10 segundos, que se reconhece pelo cabeçalho \`Age\`; o QR e a presença nunca. Para saber de mudanças, use o webhook em vez de consultar.`;

const errors = () => `## Erros

O corpo é \`{ "error": { "codigo", "mensagem", "detalhes"? } }\`. Decida pelo \`codigo\`; a \`mensagem\` é para pessoas. Toda resposta traz \`X-Request-Id\`.

| Status | \`codigo\` | Quando |
|---|---|---|
${errorRows().join("\n")}`;

/** Codes that this surface never answers. */
const ELSEWHERE: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "cloud_credentials_invalid",
  "bearer_required",
  "account_suspended",
  "instance_not_found",
  "webhook_not_found",
  "delivery_not_found",
  "key_not_found",
  "user_not_found",
  "request_in_progress",
  "key_limit",
  "instance_limit",
  "webhook_limit",
  "test_first",
  "url_not_allowed",
]);

function errorRows(): string[] {
  // One row per `codigo`: the first of the codes that share one says it best.
  const rows = new Map<string, string>();
  for (const [code, { status, codigo }] of Object.entries(FAILURE_ANSWERS) as [FailureCode, { status: number; codigo: string }][]) {
    if (ELSEWHERE.has(code) || rows.has(codigo)) continue;
    rows.set(codigo, `| ${status} | \`${codigo}\` | ${PORTUGUESE[code]} |`);
  }
  return [...rows.values()];
}

const shapes = (appUrl: string) => `## Ids, datas e páginas

- Uma conversa com uma pessoa é \`<telefone>@c.us\`, um grupo termina em \`@g.us\`, um canal em \`@newsletter\`. Nos caminhos também servem só os dígitos.
- Telefones são só dígitos, ou \`null\` quando a rede ainda não os revelou. O \`chat_id\` recebido sempre serve para responder.
- \`timestamp\` é em segundos Unix; nomes em \`_at\` são ISO 8601 em UTC.
- Listas têm \`limit\` (1 a 200, padrão 50) e respondem \`next_cursor\`: passe-o em \`cursor\` até ele ser \`null\`.
- Campos desconhecidos no corpo são recusados, para que um erro de digitação apareça; na query são ignorados. Tipos de mensagem novos podem surgir em \`type\`: aceite-os.

\`\`\`js
const get = async (path) => (await fetch("${appUrl}/api/v1" + path, { headers: { "X-Api-Key": process.env.API_KEY } })).json();
const chats = [];
for (let cursor = ""; cursor !== null; ) {
  const page = await get("/chats?limit=200" + (cursor === "" ? "" : "&cursor=" + encodeURIComponent(cursor)));
  chats.push(...page.data);
  cursor = page.next_cursor;
}
\`\`\``;
