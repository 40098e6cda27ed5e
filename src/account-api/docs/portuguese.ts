// The documentation of the Account API in Portuguese, by its English texts.
import type { Catalogue } from "../../http/openapi/translate.ts";

export const PORTUGUESE_TEXTS: Catalogue = {
  "Account API": "API da conta",
  "Connected numbers: making, pairing, connecting, watching, deleting them.":
    "Números conectados: criar, parear, conectar, acompanhar e excluir.",
  Instances: "Instâncias",
  "Chats of an instance and their history.": "Conversas de uma instância e seu histórico.",
  Chats: "Conversas",
  "Groups that an instance is in.": "Grupos de que uma instância participa.",
  Groups: "Grupos",
  "Endpoints that events are delivered to, and what became of the deliveries.":
    "Endereços que recebem os eventos, e o que houve com cada entrega.",
  Webhooks: "Webhooks",
  "The account itself and its keys.": "A própria conta e suas chaves.",
  Account: "Conta",
  "Whether the service is up, and this description. Open to whoever asks.":
    "Se o serviço está no ar, e esta descrição. Aberto a quem perguntar.",
  Service: "Serviço",
  "A key of the account. It wins when both headers are sent.": "Uma chave da conta. Vence quando os dois cabeçalhos são enviados.",
  "An access token of the identity provider.": "Um token de acesso do provedor de identidade.",
  "Stable: what a program decides by": "Estável: é por ele que um programa decide",
  "For people; may change": "Para pessoas; pode mudar",
  "The wrong fields, or what else is known of the failure": "Os campos errados, ou o que mais se sabe do erro",
  "Give it to support": "Informe-o ao suporte",
  "Whether it is paid": "Se está paga",
  "The name of the key": "O nome da chave",
  "The key of this call, if it has one": "A chave desta chamada, se houver uma",
  "Shown this once; null when a first answer is replayed": "Mostrado só desta vez; null quando uma primeira resposta é repetida",
  "The first characters, for telling keys apart": "Os primeiros caracteres, para distinguir as chaves",
  "Its owner": "A quem pertence",
  "Digits; null when unknown": "Só dígitos; null quando desconhecido",
  "PNG as data URL": "PNG como data URL",
  "The text of the QR code": "O texto do QR code",
  "null while it is not known": "null enquanto não se sabe",
  "What works on this instance, by name": "O que funciona nesta instância, por nome",
  "The same, route by route": "O mesmo, rota por rota",
  "Every limit; the unit is in the name": "Todos os limites; a unidade está no nome",
  "0 to 100": "De 0 a 100",
  "Refusals 463 in new chats and in established ones": "Recusas 463 em conversas novas e em conversas já abertas",
  "0 to 1; null without sends": "De 0 a 1; null sem envios",
  "Only of the kind cloud_api": "Só do tipo cloud_api",
  "When the network was asked; at most once in ten minutes": "Quando a rede foi consultada; no máximo uma vez em dez minutos",
  "Percent; null while it is not known": "Porcentagem; null enquanto não se sabe",
  "Stored in all": "Guardadas ao todo",
  "Null when the phone is unknown": "Null quando o telefone é desconhecido",
  "Of the person that it is from, or to; null in a group when it is our own":
    "Da pessoa de quem vem, ou a quem vai; null em um grupo quando é nossa",
  "In a group: who wrote it": "Em um grupo: quem escreveu",
  "The content, with `downloadMedia`; null when it is not kept, or beyond 25 MB of content in one answer":
    "O conteúdo, com `downloadMedia`; null quando não está guardado, ou além de 25 MB de conteúdo em uma resposta",
  "The chat id of the person": "O id da conversa com a pessoa",
  "What the network said": "O que a rede respondeu",
  "The address of the account, as a confirmation": "O endereço da conta, como confirmação",
  "Required of an account that has one": "Obrigatória para a conta que tem uma",
  "Deletes the account with everything it holds, at once and for ever": "Exclui a conta com tudo o que ela guarda, na hora e para sempre",
  "From the answer on no key and no token works, the numbers are logged out, webhooks get nothing more and links to files answer 404. Messages, contacts and files are removed after that, without a way back: export first what you want to keep. Asks for the password; where another identity provider signs in, for a token of a sign-in no older than five minutes.":
    "A partir da resposta nenhuma chave ou token funciona, os números são desconectados, os webhooks não recebem mais nada e os links de arquivos respondem 404. Mensagens, contatos e arquivos são removidos em seguida, sem volta: exporte antes o que quiser guardar. Pede a senha; onde outro provedor de identidade faz o login, um token de um login de no máximo cinco minutos.",
  "Of the other account": "Da outra conta",
  "By this account; otherwise to it": "Por esta conta; senão, para ela",
  "Instances shared with others, and by others": "Instâncias compartilhadas com outros, e por outros",
  "The account's own; each has an export of its own": "As da própria conta; cada uma tem sua exportação",
  "What the record is": "O que é o registro",
  "The record, without secrets; a message as in a list of messages. Files are links that need no key":
    "O registro, sem segredos; uma mensagem como na lista de mensagens. Arquivos são links que não precisam de chave",
  "The account with its keys, webhooks and shares, without secrets": "A conta com suas chaves, webhooks e compartilhamentos, sem segredos",
  "What is stored of each instance is in the export of that instance.":
    "O que está guardado de cada instância está na exportação dessa instância.",
  "Everything stored of an instance: settings, contacts, groups, chats, messages, and links to files":
    "Tudo o que está guardado de uma instância: configurações, contatos, grupos, conversas, mensagens e links de arquivos",
  "In pages, of up to 500 records or some 2 MB: pass `next_cursor` as `cursor` until it is null. What is stored before the first page is in the export once. Only for the owner of the instance.":
    "Em páginas de até 500 registros ou cerca de 2 MB: passe `next_cursor` em `cursor` até ele ser null. O que estava guardado antes da primeira página aparece uma vez. Só para o dono da instância.",
  "Only for callers with the scope `manage`": "Só para quem tem o escopo `manage`",
  "The instance that the event is of": "A instância do evento",
  "The bytes that are sent on every attempt; null when they are no longer kept":
    "Os bytes enviados em cada tentativa; null quando não estão mais guardados",
  "Whether the service is up": "Se o serviço está no ar",
  "Done.": "Feito.",
  "Whether everything that requests need is there; 503 when something is missing":
    "Se há tudo de que os pedidos precisam; 503 quando falta algo",
  "Answers 503 with the same body while something is missing.": "Responde 503 com o mesmo corpo enquanto falta algo.",
  "This description of the Account API, OpenAPI 3.1": "Esta descrição da API da conta, OpenAPI 3.1",
  "This very description.": "Esta mesma descrição.",
  "The account of this key or token": "A conta desta chave ou deste token",
  "Makes a key; its value is shown this once": "Cria uma chave; o valor é mostrado só desta vez",
  "Only with a bearer token: a key makes no keys. An account has at most 50; expired ones make room.":
    "Só com um token de acesso: uma chave não cria chaves. Uma conta tem no máximo 50; as vencidas dão lugar.",
  "A key that is restricted to some instances sees those that reach no further.":
    "Uma chave restrita a algumas instâncias vê as que não vão além delas.",
  "1 to 255 visible ASCII characters. The same value within 24 hours gets the first answer, and nothing is done twice.":
    "De 1 a 255 caracteres ASCII visíveis. O mesmo valor, em 24 horas, recebe a primeira resposta, e nada se faz duas vezes.",
  "Absent: everything that the user may do": "Ausente: tudo o que o usuário pode fazer",
  "Absent: all instances of the account": "Ausente: todas as instâncias da conta",
  "Absent: it does not expire": "Ausente: não expira",
  "The account's keys, newest first": "As chaves da conta, as mais novas primeiro",
  "Removes a key: it stops working at once and for ever": "Remove uma chave: ela deixa de valer na hora e para sempre",
  "A key may always remove itself.": "Uma chave sempre pode remover a si mesma.",
  "Makes an instance and, unless told otherwise, connects it": "Cria uma instância e, salvo pedido em contrário, a conecta",
  "Takes a webhook for this instance along in `webhook`. The kind `cloud_api` is not offered yet: 501 `not_supported`.":
    "Aceita um webhook para esta instância em `webhook`. O tipo `cloud_api` ainda não é oferecido: 501 `not_supported`.",
  "One of the proxies that an administrator has set up": "Um dos proxies que um administrador configurou",
  "Public, https, final: redirects are not followed": "Público, https, final: redirecionamentos não são seguidos",
  "Signs every delivery: hex HMAC-SHA256 of the body in `X-Service-Signature`":
    "Assina cada entrega: HMAC-SHA256 do corpo, em hexadecimal, em `X-Service-Signature`",
  "Custom headers of every delivery: at most 20, values are written as text. Not those of framing, of proxies (`X-Forwarded-*`, `Via`, `X-Real-IP` …), of browsers (`Cookie`, `Origin`, `Sec-*`) and our own":
    "Cabeçalhos próprios em cada entrega: no máximo 20, os valores são enviados como texto. Menos os de enquadramento, de proxies (`X-Forwarded-*`, `Via`, `X-Real-IP` …), de navegadores (`Cookie`, `Origin`, `Sec-*`) e os nossos",
  "Attempts after a failed delivery: after 10 s, 60 s, 5 min, 30 min, 2 h":
    "Tentativas depois de uma entrega que falhou: após 10 s, 60 s, 5 min, 30 min, 2 h",
  "The instances of the account and those shared with it, oldest first":
    "As instâncias da conta e as compartilhadas com ela, as mais antigas primeiro",
  "Part of the name or of the phone": "Parte do nome ou do telefone",
  "One instance": "Uma instância",
  "Changes name, settings, metadata or proxy": "Muda nome, configurações, metadados ou proxy",
  "`settings` and `settings.pacing` are added to what was set before; `metadata` is replaced whole. Another proxy reconnects the number.":
    "`settings` e `settings.pacing` somam-se ao que já estava definido; `metadata` é substituído por inteiro. Outro proxy reconecta o número.",
  "Logs the number out and forgets everything about the instance": "Encerra a sessão do número e esquece tudo sobre a instância",
  "Connects the number: with session data it resumes, without it a QR code follows":
    "Conecta o número: com dados de sessão ele retoma, sem eles vem um QR code",
  "Disconnects the number and keeps the session data": "Desconecta o número e guarda os dados da sessão",
  "Restarts the session, for an instance that is stuck or has failed": "Reinicia a sessão de uma instância que travou ou falhou",
  "Unlinks the number and forgets the session data": "Desvincula o número e esquece os dados da sessão",
  "The QR code to pair with, only while the status is scan_qr": "O QR code para parear, só enquanto o status é scan_qr",
  "Each code lives 20 to 60 seconds; the event `instance.qr` tells of every new one.":
    "Cada código vale de 20 a 60 segundos; o evento `instance.qr` avisa de cada novo.",
  "A code to pair with instead of a QR code": "Um código para parear em vez de um QR code",
  "A code of your own: 8 characters A-Z 1-9": "Um código próprio: 8 caracteres A-Z 1-9",
  "How the instance is connected": "Como a instância está conectada",
  "What works on this instance, and every limit": "O que funciona nesta instância, e todos os limites",
  "How the number is doing: restrictions, quota of new chats, the last 24 hours":
    "Como o número está: restrições, cota de novas conversas, as últimas 24 horas",
  "How far the phone has come with handing over its history": "Até onde o telefone já entregou o histórico",
  "Asks the phone for older messages, of one chat or of the last ten":
    "Pede ao telefone mensagens mais antigas, de uma conversa ou das dez últimas",
  "The phone must be switched on; it answers in its own time. Each call reaches further back.":
    "O telefone precisa estar ligado; ele responde no seu tempo. Cada chamada alcança mais atrás.",
  "Messages of a chat, newest first": "Mensagens de uma conversa, as mais novas primeiro",
  "An unknown chat has no messages. `cursor` goes on where a page ended.":
    "Uma conversa desconhecida não tem mensagens. `cursor` continua onde a página terminou.",
  "Includes the content of files as Base64, 25 MB in all": "Inclui o conteúdo dos arquivos em Base64, até 25 MB ao todo",
  "`next_cursor` of the page before": "O `next_cursor` da página anterior",
  "Marks every message of the chat as read": "Marca todas as mensagens da conversa como lidas",
  "Removes participants; the number must be an admin of the group": "Remove participantes; o número precisa ser administrador do grupo",
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
  "Deliveries of the last 7 days, newest first": "Entregas dos últimos 7 dias, as mais novas primeiro",
  "One delivery, with the bytes that are sent and every attempt": "Uma entrega, com os bytes enviados e cada tentativa",
  "Sends a delivery again, under the same id": "Envia uma entrega de novo, com o mesmo id",
  "Sends every failed delivery of a span of time again": "Envia de novo todas as entregas que falharam em um período",
  "The instance's events as they happen, as server-sent events": "Os eventos da instância à medida que acontecem, como server-sent events",
  "The envelopes of the webhooks, with ids of their own. One stream per key and instance: a second one ends the first. It ends by itself after five minutes; come back with `Last-Event-ID` and it goes on behind that event, or says `reset` when that is not known any more. It also ends, within a second, when the right to it does: the key is removed or expires, the share is removed or changed, an account is suspended or deleted, a password is changed, the subscription ends. `instance.qr` is sent only to those who may ask for the QR: it needs the scope `manage`.":
    "Os envelopes dos webhooks, com ids próprios. Um fluxo por chave e instância: um segundo encerra o primeiro. Ele termina sozinho depois de cinco minutos; volte com `Last-Event-ID` e ele continua depois daquele evento, ou diz `reset` quando ele já não é conhecido. Termina também, em até um segundo, quando acaba o direito a ele: a chave é removida ou expira, o compartilhamento é removido ou alterado, uma conta é suspensa ou excluída, uma senha é trocada, a assinatura termina. `instance.qr` só vai a quem pode pedir o QR: exige o escopo `manage`.",
  "Types, separated by commas; all unless said": "Tipos, separados por vírgulas; todos, se não for dito",
};
