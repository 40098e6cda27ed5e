// What fields, parameters and schemas of the Account API mean, by their name; `Instance.name` or `listInstances.q` where one owner means
// something else. A schema that says it itself wins. In English and in Portuguese.
import type { Text } from "#root/src/http/openapi/text.ts";
import { INSTANCE_FIELDS } from "../../instances/field-descriptions.ts";
import { ADMINISTRATION_FIELDS, ofOwner } from "./administration-fields.ts";

const PRIVACY: Readonly<Record<string, Text>> = {
  last_seen: { en: "Who sees when the number was last online", pt: "Quem vê quando o número esteve online pela última vez" },
  online: {
    en: "Who sees that the number is online; `match_last_seen`: whoever sees `last_seen`",
    pt: "Quem vê que o número está online; `match_last_seen`: quem vê `last_seen`",
  },
  picture: { en: "Who sees the profile picture", pt: "Quem vê a foto do perfil" },
  about: { en: "Who sees the about text", pt: "Quem vê o recado" },
  read_receipts: { en: "Who sees that the number has read their messages", pt: "Quem vê que o número leu suas mensagens" },
  groups_add: { en: "Who may add the number to groups", pt: "Quem pode adicionar o número a grupos" },
  calls: {
    en: "Whose calls ring; `known`: of contacts and of people written to",
    pt: "De quem as chamadas tocam; `known`: de contatos e de pessoas com quem se conversou",
  },
  messages: { en: "Who may write to the number", pt: "Quem pode escrever para o número" },
};

export const FIELD_DESCRIPTIONS: Readonly<Record<string, Text>> = {
  // Errors
  Error: { en: "Every failure", pt: "Toda falha" },
  "Error.error": { en: "What went wrong", pt: "O que deu errado" },
  "Error.field": { en: "The field, inner ones as `settings.pacing`", pt: "O campo; os internos como `settings.pacing`" },
  "Error.issue": { en: "What is wrong with it", pt: "O que há de errado com ele" },

  // Everywhere
  data: { en: "What was asked for", pt: "O que foi pedido" },
  next_cursor: {
    en: "To be passed as `cursor` for the next page; null on the last one",
    pt: "Para passar como `cursor` na próxima página; null na última",
  },
  cursor: { en: "`next_cursor` of the page before", pt: "O `next_cursor` da página anterior" },
  limit: { en: "How many at most", pt: "Quantos no máximo" },
  instanceId: { en: "The id of the instance", pt: "O id da instância" },
  groupId: { en: "The id of the group, ending in `@g.us`", pt: "O id do grupo, terminado em `@g.us`" },
  webhookId: { en: "The id of the webhook endpoint", pt: "O id do endereço de webhook" },
  deliveryId: { en: "The id of the delivery, the same in every attempt", pt: "O id da entrega, o mesmo em todas as tentativas" },
  keyId: { en: "The id of the key", pt: "O id da chave" },
  user_id: { en: "The user that it belongs to", pt: "O usuário a quem pertence" },
  created_at: { en: "When it was created", pt: "Quando foi criado" },
  updated_at: { en: "When it was last changed", pt: "Quando foi mudado pela última vez" },
  Ok: { en: "It is done", pt: "Está feito" },
  "Ok.ok": { en: "Always true", pt: "Sempre true" },
  Result: { en: "What became of the call", pt: "O que houve com a chamada" },
  "Result.message": { en: "One sentence, for people", pt: "Uma frase, para pessoas" },

  ...ADMINISTRATION_FIELDS,

  // Export
  AccountExport: {
    en: "What is stored of an account, except for its instances",
    pt: "O que está guardado de uma conta, fora as instâncias",
  },
  exported_at: { en: "When the export was made", pt: "Quando a exportação foi feita" },
  "AccountExport.id": { en: "The id of the instance", pt: "O id da instância" },
  "AccountExport.api_keys": { en: "Its keys, without their values", pt: "Suas chaves, sem os valores" },
  "AccountExport.webhooks": { en: "Its webhook endpoints, without secrets", pt: "Seus endereços de webhook, sem segredos" },
  ExportRecord: { en: "One thing that is stored of an instance", pt: "Uma coisa guardada de uma instância" },

  AdminInstance: { en: "An instance, as administrators see it", pt: "Uma instância, como os administradores a veem" },
  "AdminInstance.id": { en: "The id of the instance, as in paths", pt: "O id da instância, como nos caminhos" },
  owner: { en: "The user it belongs to", pt: "O usuário a quem pertence" },
  "owner.id": { en: "The id of the user", pt: "O id do usuário" },
  ClientVersion: { en: "What administrators have set of the client version", pt: "O que administradores definiram da versão de cliente" },
  Fleet: { en: "All bridges together", pt: "Todos os bridges juntos" },
  alarms: { en: "What has gone on for many numbers, and is not over", pt: "O que acontece com muitos números e não acabou" },
  raised_at: { en: "When it was raised", pt: "Quando foi dado" },
  changed_at: { en: "When the share was last changed", pt: "Quando a parte mudou pela última vez" },
  Bridge: {
    en: "A session bridge: a process that has the sessions of many instances",
    pt: "Um bridge de sessões: um processo com as sessões de muitas instâncias",
  },
  "Bridge.id": { en: "The id of the bridge, from its credential", pt: "O id do bridge, da sua credencial" },
  bridgeId: { en: "The id of the bridge", pt: "O id do bridge" },
  bridge_id: { en: "A session bridge; `GET /admin/bridges` lists them", pt: "Um bridge de sessões; `GET /admin/bridges` os lista" },
  "listAllInstances.bridge_id": { en: "Only those whose session it has", pt: "Só aquelas cuja sessão está nele" },
  "listAllInstances.user_id": { en: "Only those of this user", pt: "Só as deste usuário" },
  "listAllInstances.status": { en: "Only those in this status", pt: "Só as que estão neste status" },
  ...INSTANCE_FIELDS,

  // Session
  Qr: { en: "A QR code to pair with", pt: "Um QR code para parear" },
  PairingCode: { en: "A code to type on the phone", pt: "Um código para digitar no telefone" },
  "PairingCode.code": { en: "To be typed on the phone, under linked devices", pt: "Para digitar no telefone, em aparelhos conectados" },
  "PairingCode.phone_number": { en: "The number that it is for, digits only", pt: "O número a que se destina, só dígitos" },
  "PairingCode.expires_at": { en: "Until when it can be used", pt: "Até quando pode ser usado" },
  Capabilities: { en: "What works on an instance, and every limit", pt: "O que funciona em uma instância, e todos os limites" },
  "Capabilities.method": { en: "The method of the route", pt: "O método da rota" },
  "Capabilities.path": { en: "The path of the route, parameters as `{chatId}`", pt: "O caminho da rota, parâmetros como `{chatId}`" },
  supported: { en: "Whether it works on this instance", pt: "Se funciona nesta instância" },
  "Capabilities.reason": { en: "What it would be refused with; null when it works", pt: "Com o que seria recusada; null quando funciona" },
  NumberHealth: { en: "How the number is doing", pt: "Como o número está" },
  level: { en: "The score in one word", pt: "A nota em uma palavra" },
  sends_24h: { en: "Messages sent in the last 24 hours", pt: "Mensagens enviadas nas últimas 24 horas" },
  failed_24h: { en: "Sends that failed in the last 24 hours", pt: "Envios que falharam nas últimas 24 horas" },
  cold: { en: "In new chats", pt: "Em conversas novas" },
  warm: { en: "In chats that existed", pt: "Em conversas que já existiam" },
  reconnects_24h: { en: "Disconnections in the last 24 hours", pt: "Desconexões nas últimas 24 horas" },
  connected_since: {
    en: "Since when the number is connected; null while it is not",
    pt: "Desde quando o número está conectado; null enquanto não está",
  },
  proxy: { en: "The proxy of the instance; null without one", pt: "O proxy da instância; null sem um" },
  "NumberHealth.id": { en: "The id of the proxy", pt: "O id do proxy" },
  "NumberHealth.status": { en: "How the proxy is doing", pt: "Como o proxy está" },
  latency_ms: { en: "How long it took to answer, in milliseconds", pt: "Quanto demorou a responder, em milissegundos" },
  HistorySync: { en: "How far the history has come", pt: "Até onde veio o histórico" },
  state: { en: "Whether more is coming", pt: "Se ainda vem mais" },
  "SyncHistoryRequest.count": { en: "How many messages of each chat", pt: "Quantas mensagens de cada conversa" },

  // Chats and messages
  mentions: { en: "People that it mentions, by their chat ids", pt: "Pessoas mencionadas, por seus ids de conversa" },
  "Message.code": { en: "Stable: why it failed", pt: "Estável: por que falhou" },
  "Message.message": { en: "One sentence for people", pt: "Uma frase para pessoas" },
  timestamp: { en: "When it was sent", pt: "Quando foi enviada" },
  last_seen: {
    en: "When the person was last online; null when not known",
    pt: "Quando a pessoa esteve online pela última vez; null quando não se sabe",
  },

  "getMessageMedia.format": {
    en: "binary: the bytes, with their media type if it is a common picture, video or sound; base64: JSON with the content; url: JSON with a link",
    pt: "binary: os bytes, com seu tipo de mídia se for uma imagem, um vídeo ou um som comum; base64: JSON com o conteúdo; url: JSON com um link",
  },

  // Contacts
  LidPair: { en: "The two names that the network has for one person", pt: "Os dois nomes que a rede tem para uma pessoa" },
  lid: { en: "The LID: `<digits>@lid`, or digits alone", pt: "O LID: `<dígitos>@lid`, ou só dígitos" },

  // Profile
  Privacy: {
    en: "Privacy settings; null: the network gave none, or a value that is not known here",
    pt: "Configurações de privacidade; null: a rede não informou, ou o valor não é conhecido aqui",
  },
  ...ofOwner("Privacy", PRIVACY),
  ...ofOwner("UpdatePrivacyRequest", PRIVACY),

  // Webhooks
  Webhook: { en: "An endpoint that events are delivered to", pt: "Um endereço que recebe eventos" },
  "Webhook.id": { en: "The id of the endpoint", pt: "O id do endereço" },
  "Webhook.url": { en: "Where events are sent to", pt: "Para onde os eventos são enviados" },
  events: { en: "The event types that it gets", pt: "Os tipos de evento que recebe" },
  description: { en: "A note of your own", pt: "Uma anotação sua" },
  instance_id: {
    en: "The instance whose events it gets; null: all of the account",
    pt: "A instância de que recebe eventos; null: todas da conta",
  },
  "Webhook.retry_count": {
    en: "How many further attempts a failed delivery gets",
    pt: "Quantas tentativas a mais tem uma entrega que falhou",
  },
  timeout_ms: { en: "How long an answer is waited for, in milliseconds", pt: "Quanto se espera pela resposta, em milissegundos" },
  is_active: { en: "Whether events are sent to it", pt: "Se eventos são enviados a ele" },
  WebhookTest: { en: "How the endpoint took the test event", pt: "Como o endereço recebeu o evento de teste" },
  http_status: {
    en: "The status that the endpoint answered; null without an answer",
    pt: "O status que o endereço respondeu; null sem resposta",
  },
  "WebhookTest.error": { en: "What went wrong; null when it was accepted", pt: "O que deu errado; null quando foi aceito" },
  Delivery: { en: "One event on its way to one endpoint", pt: "Um evento a caminho de um endereço" },
  "Delivery.id": { en: "The id of the delivery, also in its body", pt: "O id da entrega, também no corpo dela" },
  event: { en: "The event type", pt: "O tipo do evento" },
  "Delivery.status": {
    en: "pending: further attempts follow; failed: given up or not sent",
    pt: "pending: seguem outras tentativas; failed: abandonada ou não enviada",
  },
  attempts: { en: "Attempts made so far", pt: "Tentativas feitas até agora" },
  delivered_at: { en: "When it was accepted; null until then", pt: "Quando foi aceita; null até então" },
  next_attempt_at: { en: "When it is tried next; null when it is not", pt: "Quando será tentada de novo; null se não será" },
  last_error: { en: "Why the last attempt failed; null when it did not", pt: "Por que a última tentativa falhou; null se não falhou" },
  DeliveryDetail: {
    en: "A delivery with the bytes that are sent and every attempt",
    pt: "Uma entrega com os bytes enviados e cada tentativa",
  },
  attempt_log: { en: "Every attempt, oldest first", pt: "Cada tentativa, a mais antiga primeiro" },
  at: { en: "When it was made", pt: "Quando foi feita" },
  "DeliveryDetail.error": { en: "Why it failed; null when it was accepted", pt: "Por que falhou; null quando foi aceita" },
  "listDeliveries.status": { en: "Only deliveries in this status", pt: "Só entregas neste status" },
  "listDeliveries.event": { en: "Only deliveries of this event type", pt: "Só entregas deste tipo de evento" },
  "listDeliveries.instance_id": { en: "Only deliveries of this instance's events", pt: "Só entregas de eventos desta instância" },
  since: { en: "Deliveries made from this time on; at most 7 days ago", pt: "Entregas feitas a partir deste momento; no máximo há 7 dias" },
  until: {
    en: "Deliveries made before this time; absent or null: all since",
    pt: "Entregas feitas antes deste momento; ausente ou null: todas desde então",
  },
  "ResendFailedDeliveriesRequest.status": {
    en: "Only failed deliveries are sent again",
    pt: "Só entregas que falharam são enviadas de novo",
  },

  // Account and keys
  User: { en: "The user behind a key or token", pt: "O usuário por trás de uma chave ou token" },
  "User.id": { en: "The id of the user", pt: "O id do usuário" },
  email: { en: "The address to sign in with", pt: "O endereço com que se entra" },
  "User.name": { en: "The name of the user", pt: "O nome do usuário" },
  role: { en: "Administrators may do everything", pt: "Administradores podem tudo" },
  "User.status": { en: "Suspended accounts are refused", pt: "Contas suspensas são recusadas" },
  subscription: { en: "The subscription; null without one", pt: "A assinatura; null sem uma" },
  plan: { en: "The name of the plan", pt: "O nome do plano" },
  max_instances: { en: "How many instances it allows", pt: "Quantas instâncias permite" },
  current_period_end: { en: "Until when it is paid; null when unlimited", pt: "Até quando está paga; null quando ilimitada" },
  instances_count: {
    en: "How many instances the account has; for a restricted key, how many of its own",
    pt: "Quantas instâncias a conta tem; para uma chave restrita, quantas das suas",
  },
  last_seen_at: { en: "When the account was last used: now", pt: "Quando a conta foi usada pela última vez: agora" },
  "User.scopes": { en: "What this key or token may do", pt: "O que esta chave ou token pode fazer" },
  limits: { en: "What the account is limited to", pt: "A que a conta está limitada" },
  requests_per_10_s: { en: "Requests in 10 seconds, per key or user", pt: "Pedidos em 10 segundos, por chave ou usuário" },
  identical_reads_per_minute: { en: "Identical reads in a minute", pt: "Leituras idênticas em um minuto" },
  body_bytes: { en: "The largest request body, in bytes", pt: "O maior corpo de pedido, em bytes" },
  webhooks: { en: "How many webhook endpoints it may have", pt: "Quantos endereços de webhook pode ter" },
  ApiKey: { en: "A key of the account, without its value", pt: "Uma chave da conta, sem o valor" },
  CreatedApiKey: { en: "A key of the account with its value", pt: "Uma chave da conta com o valor" },
  "ApiKey.id": { en: "The id of the key, as in paths", pt: "O id da chave, como nos caminhos" },
  scopes: { en: "What it may do", pt: "O que ela pode fazer" },
  instance_ids: { en: "The instances that it is restricted to; null: all", pt: "As instâncias a que se restringe; null: todas" },
  "ApiKey.expires_at": { en: "When it expires; null: never", pt: "Quando expira; null: nunca" },
  last_used_at: { en: "When it was last used, to the minute; null: never", pt: "Quando foi usada pela última vez, ao minuto; null: nunca" },

  // Service
  Health: { en: "The service is up", pt: "O serviço está no ar" },
  "Health.status": { en: "Always ok", pt: "Sempre ok" },
  version: { en: "The version of this API", pt: "A versão desta API" },
  time: { en: "The time of the answer", pt: "O momento da resposta" },
  Readiness: { en: "Whether everything that requests need is there", pt: "Se há tudo de que os pedidos precisam" },
  "Readiness.status": { en: "unavailable while something is missing", pt: "unavailable enquanto falta algo" },
  checks: { en: "What was looked at", pt: "O que foi verificado" },
  d1: { en: "The database answers", pt: "O banco de dados responde" },
  durable_objects: { en: "Objects answer", pt: "Os objetos respondem" },
  bridge: { en: "There is a bridge to connect numbers with", pt: "Há uma ponte com que conectar números" },
  OpenApi: { en: "An OpenAPI document", pt: "Um documento OpenAPI" },
  openapi: { en: "The version of OpenAPI", pt: "A versão do OpenAPI" },
};
