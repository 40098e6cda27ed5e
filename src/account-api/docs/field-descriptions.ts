// What fields, parameters and schemas of the Account API mean, by their name; `Instance.name` or `listInstances.q` where one owner means
// something else. A schema that says it itself wins. In English and in Portuguese.
import type { Catalogue } from "../../http/openapi/translate.ts";
import { ADMINISTRATION_FIELDS, type Both, ofOwner } from "./administration-fields.ts";

const PRIVACY: Readonly<Record<string, Both>> = {
  last_seen: ["Who sees when the number was last online", "Quem vê quando o número esteve online pela última vez"],
  online: [
    "Who sees that the number is online; `match_last_seen`: whoever sees `last_seen`",
    "Quem vê que o número está online; `match_last_seen`: quem vê `last_seen`",
  ],
  picture: ["Who sees the profile picture", "Quem vê a foto do perfil"],
  about: ["Who sees the about text", "Quem vê o recado"],
  read_receipts: ["Who sees that the number has read their messages", "Quem vê que o número leu suas mensagens"],
  groups_add: ["Who may add the number to groups", "Quem pode adicionar o número a grupos"],
  calls: [
    "Whose calls ring; `known`: of contacts and of people written to",
    "De quem as chamadas tocam; `known`: de contatos e de pessoas com quem se conversou",
  ],
  messages: ["Who may write to the number", "Quem pode escrever para o número"],
};

const DESCRIPTIONS: Readonly<Record<string, Both>> = {
  // Errors
  Error: ["Every failure", "Toda falha"],
  "Error.error": ["What went wrong", "O que deu errado"],
  "Error.field": ["The field, inner ones as `settings.pacing`", "O campo; os internos como `settings.pacing`"],
  "Error.issue": ["What is wrong with it", "O que há de errado com ele"],

  // Everywhere
  data: ["What was asked for", "O que foi pedido"],
  next_cursor: [
    "To be passed as `cursor` for the next page; null on the last one",
    "Para passar como `cursor` na próxima página; null na última",
  ],
  cursor: ["`next_cursor` of the page before", "O `next_cursor` da página anterior"],
  limit: ["How many at most", "Quantos no máximo"],
  instanceId: ["The id of the instance", "O id da instância"],
  groupId: ["The id of the group, ending in `@g.us`", "O id do grupo, terminado em `@g.us`"],
  webhookId: ["The id of the webhook endpoint", "O id do endereço de webhook"],
  deliveryId: ["The id of the delivery, the same in every attempt", "O id da entrega, o mesmo em todas as tentativas"],
  keyId: ["The id of the key", "O id da chave"],
  user_id: ["The user that it belongs to", "O usuário a quem pertence"],
  created_at: ["When it was created", "Quando foi criado"],
  updated_at: ["When it was last changed", "Quando foi mudado pela última vez"],
  Ok: ["It is done", "Está feito"],
  "Ok.ok": ["Always true", "Sempre true"],
  Result: ["What became of the call", "O que houve com a chamada"],
  "Result.message": ["One sentence, for people", "Uma frase, para pessoas"],

  ...ADMINISTRATION_FIELDS,

  // Export
  AccountExport: ["What is stored of an account, except for its instances", "O que está guardado de uma conta, fora as instâncias"],
  exported_at: ["When the export was made", "Quando a exportação foi feita"],
  "AccountExport.id": ["The id of the instance", "O id da instância"],
  "AccountExport.api_keys": ["Its keys, without their values", "Suas chaves, sem os valores"],
  "AccountExport.webhooks": ["Its webhook endpoints, without secrets", "Seus endereços de webhook, sem segredos"],
  ExportRecord: ["One thing that is stored of an instance", "Uma coisa guardada de uma instância"],

  AdminInstance: ["An instance, as administrators see it", "Uma instância, como os administradores a veem"],
  "AdminInstance.id": ["The id of the instance, as in paths", "O id da instância, como nos caminhos"],
  owner: ["The user it belongs to", "O usuário a quem pertence"],
  "owner.id": ["The id of the user", "O id do usuário"],
  Bridge: [
    "A session bridge: a process that has the sessions of many instances",
    "Um bridge de sessões: um processo com as sessões de muitas instâncias",
  ],
  "Bridge.id": ["The id of the bridge, from its credential", "O id do bridge, da sua credencial"],
  bridgeId: ["The id of the bridge", "O id do bridge"],
  bridge_id: ["A session bridge; `GET /admin/bridges` lists them", "Um bridge de sessões; `GET /admin/bridges` os lista"],
  "listAllInstances.bridge_id": ["Only those whose session it has", "Só aquelas cuja sessão está nele"],
  "listAllInstances.user_id": ["Only those of this user", "Só as deste usuário"],
  "listAllInstances.status": ["Only those in this status", "Só as que estão neste status"],
  // Instances
  Instance: ["A connected number, or one that is to be", "Um número conectado, ou que o será"],
  "Instance.id": ["The id of the instance, as in paths", "O id da instância, como nos caminhos"],
  name: ["A name of your own: 1 to 60 characters", "Um nome próprio: de 1 a 60 caracteres"],
  kind: [
    "session: paired with a phone; cloud_api: of the network's cloud",
    "session: pareada com um telefone; cloud_api: da nuvem da rede",
  ],
  status: ["Whether the number is connected, and if not, what it waits for", "Se o número está conectado e, se não, o que espera"],
  status_reason: [
    "Why it is in this status; `unavailable` when it could not be asked",
    "Por que está neste status; `unavailable` quando não pôde ser consultada",
  ],
  status_changed_at: ["When the status last changed; null when unknown", "Quando o status mudou pela última vez; null quando desconhecido"],
  qr_expires_at: [
    "Until when the current QR code can be scanned; null without one",
    "Até quando o QR code atual pode ser lido; null sem um",
  ],
  reconnect: ["The attempt to reconnect that is coming; null when there is none", "A próxima tentativa de reconexão; null quando não há"],
  attempt: ["Its number, from 1 on", "O número dela, a partir de 1"],
  next_at: ["When it is made", "Quando será feita"],
  restriction: [
    "What the network holds against the number; null when nothing is known",
    "O que a rede impõe ao número; null quando nada se sabe",
  ],
  ban: [
    "Of a temporary ban: why and until when; null when there is none",
    "De um banimento temporário: por quê e até quando; null quando não há",
  ],
  Ban: ["The network keeps the number out for a while", "A rede mantém o número fora por um tempo"],
  "Ban.code": [
    "Why, in the network's numbers: 101 messages to too many strangers, 102 blocked by many, 103 too many groups, 104 one message too often, 106 broadcast lists; null when it does not say",
    "Por quê, nos números da rede: 101 mensagens a desconhecidos demais, 102 bloqueado por muitos, 103 grupos demais, 104 a mesma mensagem vezes demais, 106 listas de transmissão; null quando ela não diz",
  ],
  "Ban.ends_at": [
    "When it ends; the number then connects by itself. null when the network does not say",
    "Quando termina; o número então se conecta sozinho. null quando a rede não diz",
  ],
  new_chat_quota: [
    "How many new chats the network still allows; null when unknown",
    "Quantas conversas novas a rede ainda permite; null quando desconhecido",
  ],
  profile_name: ["The name that others see; null when unknown", "O nome que os outros veem; null quando desconhecido"],
  profile_picture_url: ["Link to the profile picture; null when unknown", "Link para a foto do perfil; null quando desconhecido"],
  platform: ["What the paired phone runs; null when unknown", "O sistema do telefone pareado; null quando desconhecido"],
  is_business: ["Whether it is a business account; null when unknown", "Se é uma conta comercial; null quando desconhecido"],
  metadata: [
    "Facts of your own: at most 20 keys of 40 characters, values of 500",
    "Dados seus: no máximo 20 chaves de 40 caracteres, valores de 500",
  ],
  proxy_id: ["The proxy that its traffic goes through; null: none", "O proxy por onde passa o tráfego; null: nenhum"],
  last_connected_at: ["When it last connected; null: never", "Quando se conectou pela última vez; null: nunca"],
  last_disconnected_at: ["When it last lost its connection; null: never", "Quando perdeu a conexão pela última vez; null: nunca"],
  last_inbound_at: ["When the last message arrived; null: never", "Quando chegou a última mensagem; null: nunca"],
  cloud_api: [
    "How the network's cloud knows the number; only of the kind cloud_api",
    "Como a nuvem da rede conhece o número; só do tipo cloud_api",
  ],
  phone_number_id: ["The cloud's id of the number", "O id do número na nuvem"],
  waba_id: ["The cloud's id of the business account", "O id da conta comercial na nuvem"],
  access_token: ["A permanent access token of the cloud", "Um token de acesso permanente da nuvem"],
  access_token_last4: ["The last four characters of the access token", "Os quatro últimos caracteres do token de acesso"],
  app_secret: ["The secret of the app, for the cloud's own webhooks", "O segredo do app, para os webhooks da própria nuvem"],
  pin: ["The PIN of the number's two-step verification", "O PIN da verificação em duas etapas do número"],
  connect: ["Whether it is connected at once", "Se é conectada na hora"],
  webhook: ["A webhook endpoint for this instance, created with it", "Um endereço de webhook para esta instância, criado junto"],
  force_new_pairing: ["Forgets the session data and starts with a QR code", "Esquece os dados da sessão e começa com um QR code"],
  "listInstances.status": ["Only those in this status", "Só as que estão neste status"],
  "listInstances.kind": ["Only those of this kind", "Só as deste tipo"],
  InstanceStatus: ["How an instance is connected", "Como uma instância está conectada"],
  Restriction: ["The network does not let the number start new chats", "A rede não deixa o número iniciar conversas novas"],
  "Restriction.type": ["What is restricted", "O que está restrito"],
  enforcement: ["How the network calls the measure", "Como a rede chama a medida"],
  ends_at: ["When it ends; null when that is unknown", "Quando termina; null quando desconhecido"],
  detected_at: ["When it was first noticed", "Quando foi percebida pela primeira vez"],
  NewChatQuota: ["How many new chats the network allows in a cycle", "Quantas conversas novas a rede permite em um ciclo"],
  total: [
    "New chats allowed in the cycle; null when the network does not say",
    "Conversas novas permitidas no ciclo; null quando a rede não diz",
  ],
  used: ["Of these, started", "Destas, iniciadas"],
  cycle_ends_at: ["When the cycle ends", "Quando o ciclo termina"],
  "NewChatQuota.status": ["How close to the limit the number is", "Quão perto do limite o número está"],

  // Settings
  Settings: ["Settings as they are in force", "As configurações em vigor"],
  SettingsChange: ["Settings to be changed; the others stay", "Configurações a mudar; as outras ficam"],
  reject_calls: ["Every incoming call is rejected at once", "Toda chamada recebida é rejeitada na hora"],
  reject_call_message: [
    "Text that a rejected caller gets, in calls to the number alone; null: none",
    "Texto que recebe quem teve a chamada rejeitada, em chamadas só ao número; null: nenhum",
  ],
  always_online: ["The number shows as online while it is connected", "O número aparece online enquanto está conectado"],
  mark_read_on_receive: ["Messages are marked as read when they arrive", "Mensagens são marcadas como lidas quando chegam"],
  ignore_groups: ["Nothing of groups is stored or delivered", "Nada de grupos é guardado ou entregue"],
  ignore_channels: ["Nothing of channels is stored or delivered", "Nada de canais é guardado ou entregue"],
  ignore_status: ["Nothing of status posts is stored or delivered", "Nada de publicações de status é guardado ou entregue"],
  sync_history: ["What the phone hands over when it is linked", "O que o telefone entrega ao ser vinculado"],
  download_media: ["Files of incoming messages are stored", "Arquivos das mensagens recebidas são guardados"],
  message_retention_days: [
    "How many days messages are stored, with their files; null: without limit",
    "Por quantos dias as mensagens são guardadas, com seus arquivos; null: sem limite",
  ],
  media_retention_days: ["How many days files are stored", "Por quantos dias os arquivos são guardados"],
  device_name: [
    "What the phone lists under linked devices, from the next pairing on",
    "O que o telefone mostra em aparelhos conectados, a partir do próximo pareamento",
  ],
  pacing: ["How sends are spread over time", "Como os envios se espalham no tempo"],
  min_gap_ms: [
    "Shortest pause between two sends, which wait for it, in milliseconds",
    "Menor pausa entre dois envios, que esperam por ela, em milissegundos",
  ],
  new_chats_per_hour: [
    "First messages to people who never wrote; beyond it 429. Null: no limit",
    "Primeiras mensagens a quem nunca escreveu; além disso, 429. Null: sem limite",
  ],
  alerts: ["Mails to the owner", "E-mails ao dono"],
  stopped: ["The number reconnects no more, and a person must act", "O número não se reconecta mais, e alguém precisa agir"],
  disconnected_minutes: [
    "The number is not connected, for so many minutes (5 to 1,440), and nobody wanted it so; null: no mail",
    "O número não está conectado, há tantos minutos (5 a 1.440), sem que alguém quisesse; null: sem e-mail",
  ],
  webhook_failing_minutes: [
    "The connection's webhook accepts nothing, for so many minutes (15 to 2,880); null: no mail",
    "O webhook da conexão não aceita nada, há tantos minutos (15 a 2.880); null: sem e-mail",
  ],
  restricted: ["The network does not let the number start new chats", "A rede não deixa o número iniciar conversas novas"],
  reply_only: ["Only people who have written may be written to", "Só se pode escrever a quem já escreveu"],

  // Session
  Qr: ["A QR code to pair with", "Um QR code para parear"],
  PairingCode: ["A code to type on the phone", "Um código para digitar no telefone"],
  "PairingCode.code": ["To be typed on the phone, under linked devices", "Para digitar no telefone, em aparelhos conectados"],
  "PairingCode.phone_number": ["The number that it is for, digits only", "O número a que se destina, só dígitos"],
  "PairingCode.expires_at": ["Until when it can be used", "Até quando pode ser usado"],
  Capabilities: ["What works on an instance, and every limit", "O que funciona em uma instância, e todos os limites"],
  "Capabilities.method": ["The method of the route", "O método da rota"],
  "Capabilities.path": ["The path of the route, parameters as `{chatId}`", "O caminho da rota, parâmetros como `{chatId}`"],
  supported: ["Whether it works on this instance", "Se funciona nesta instância"],
  "Capabilities.reason": ["What it would be refused with; null when it works", "Com o que seria recusada; null quando funciona"],
  NumberHealth: ["How the number is doing", "Como o número está"],
  level: ["The score in one word", "A nota em uma palavra"],
  sends_24h: ["Messages sent in the last 24 hours", "Mensagens enviadas nas últimas 24 horas"],
  failed_24h: ["Sends that failed in the last 24 hours", "Envios que falharam nas últimas 24 horas"],
  cold: ["In new chats", "Em conversas novas"],
  warm: ["In chats that existed", "Em conversas que já existiam"],
  reconnects_24h: ["Disconnections in the last 24 hours", "Desconexões nas últimas 24 horas"],
  connected_since: [
    "Since when the number is connected; null while it is not",
    "Desde quando o número está conectado; null enquanto não está",
  ],
  proxy: ["The proxy of the instance; null without one", "O proxy da instância; null sem um"],
  "NumberHealth.id": ["The id of the proxy", "O id do proxy"],
  "NumberHealth.status": ["How the proxy is doing", "Como o proxy está"],
  latency_ms: ["How long it took to answer, in milliseconds", "Quanto demorou a responder, em milissegundos"],
  HistorySync: ["How far the history has come", "Até onde veio o histórico"],
  state: ["Whether more is coming", "Se ainda vem mais"],
  "SyncHistoryRequest.count": ["How many messages of each chat", "Quantas mensagens de cada conversa"],

  // Chats and messages
  mentions: ["People that it mentions, by their chat ids", "Pessoas mencionadas, por seus ids de conversa"],
  "Message.code": ["Stable: why it failed", "Estável: por que falhou"],
  "Message.message": ["One sentence for people", "Uma frase para pessoas"],
  timestamp: ["When it was sent", "Quando foi enviada"],
  last_seen: [
    "When the person was last online; null when not known",
    "Quando a pessoa esteve online pela última vez; null quando não se sabe",
  ],

  "getMessageMedia.format": [
    "binary: the bytes, with their media type; base64: JSON with the content; url: JSON with a link",
    "binary: os bytes, com seu tipo de mídia; base64: JSON com o conteúdo; url: JSON com um link",
  ],

  // Contacts
  LidPair: ["The two names that the network has for one person", "Os dois nomes que a rede tem para uma pessoa"],
  lid: ["The LID: `<digits>@lid`, or digits alone", "O LID: `<dígitos>@lid`, ou só dígitos"],

  // Profile
  Privacy: [
    "Privacy settings; null: the network gave none, or a value that is not known here",
    "Configurações de privacidade; null: a rede não informou, ou o valor não é conhecido aqui",
  ],
  ...ofOwner("Privacy", PRIVACY),
  ...ofOwner("UpdatePrivacyRequest", PRIVACY),

  // Webhooks
  Webhook: ["An endpoint that events are delivered to", "Um endereço que recebe eventos"],
  "Webhook.id": ["The id of the endpoint", "O id do endereço"],
  "Webhook.url": ["Where events are sent to", "Para onde os eventos são enviados"],
  events: ["The event types that it gets", "Os tipos de evento que recebe"],
  description: ["A note of your own", "Uma anotação sua"],
  instance_id: ["The instance whose events it gets; null: all of the account", "A instância de que recebe eventos; null: todas da conta"],
  "Webhook.retry_count": ["How many further attempts a failed delivery gets", "Quantas tentativas a mais tem uma entrega que falhou"],
  timeout_ms: ["How long an answer is waited for, in milliseconds", "Quanto se espera pela resposta, em milissegundos"],
  is_active: ["Whether events are sent to it", "Se eventos são enviados a ele"],
  WebhookTest: ["How the endpoint took the test event", "Como o endereço recebeu o evento de teste"],
  http_status: ["The status that the endpoint answered; null without an answer", "O status que o endereço respondeu; null sem resposta"],
  "WebhookTest.error": ["What went wrong; null when it was accepted", "O que deu errado; null quando foi aceito"],
  Delivery: ["One event on its way to one endpoint", "Um evento a caminho de um endereço"],
  "Delivery.id": ["The id of the delivery, also in its body", "O id da entrega, também no corpo dela"],
  event: ["The event type", "O tipo do evento"],
  "Delivery.status": [
    "pending: further attempts follow; failed: given up or not sent",
    "pending: seguem outras tentativas; failed: abandonada ou não enviada",
  ],
  attempts: ["Attempts made so far", "Tentativas feitas até agora"],
  delivered_at: ["When it was accepted; null until then", "Quando foi aceita; null até então"],
  next_attempt_at: ["When it is tried next; null when it is not", "Quando será tentada de novo; null se não será"],
  last_error: ["Why the last attempt failed; null when it did not", "Por que a última tentativa falhou; null se não falhou"],
  DeliveryDetail: ["A delivery with the bytes that are sent and every attempt", "Uma entrega com os bytes enviados e cada tentativa"],
  attempt_log: ["Every attempt, oldest first", "Cada tentativa, a mais antiga primeiro"],
  at: ["When it was made", "Quando foi feita"],
  "DeliveryDetail.error": ["Why it failed; null when it was accepted", "Por que falhou; null quando foi aceita"],
  "listDeliveries.status": ["Only deliveries in this status", "Só entregas neste status"],
  "listDeliveries.event": ["Only deliveries of this event type", "Só entregas deste tipo de evento"],
  "listDeliveries.instance_id": ["Only deliveries of this instance's events", "Só entregas de eventos desta instância"],
  since: ["Deliveries made from this time on; at most 7 days ago", "Entregas feitas a partir deste momento; no máximo há 7 dias"],
  until: [
    "Deliveries made before this time; absent or null: all since",
    "Entregas feitas antes deste momento; ausente ou null: todas desde então",
  ],
  "ResendFailedDeliveriesRequest.status": ["Only failed deliveries are sent again", "Só entregas que falharam são enviadas de novo"],

  // Account and keys
  User: ["The user behind a key or token", "O usuário por trás de uma chave ou token"],
  "User.id": ["The id of the user", "O id do usuário"],
  email: ["The address to sign in with", "O endereço com que se entra"],
  "User.name": ["The name of the user", "O nome do usuário"],
  role: ["Administrators may do everything", "Administradores podem tudo"],
  "User.status": ["Suspended accounts are refused", "Contas suspensas são recusadas"],
  subscription: ["The subscription; null without one", "A assinatura; null sem uma"],
  plan: ["The name of the plan", "O nome do plano"],
  max_instances: ["How many instances it allows", "Quantas instâncias permite"],
  current_period_end: ["Until when it is paid; null when unlimited", "Até quando está paga; null quando ilimitada"],
  instances_count: [
    "How many instances the account has; for a restricted key, how many of its own",
    "Quantas instâncias a conta tem; para uma chave restrita, quantas das suas",
  ],
  last_seen_at: ["When the account was last used: now", "Quando a conta foi usada pela última vez: agora"],
  "User.scopes": ["What this key or token may do", "O que esta chave ou token pode fazer"],
  limits: ["What the account is limited to", "A que a conta está limitada"],
  requests_per_10_s: ["Requests in 10 seconds, per key or user", "Pedidos em 10 segundos, por chave ou usuário"],
  identical_reads_per_minute: ["Identical reads in a minute", "Leituras idênticas em um minuto"],
  body_bytes: ["The largest request body, in bytes", "O maior corpo de pedido, em bytes"],
  webhooks: ["How many webhook endpoints it may have", "Quantos endereços de webhook pode ter"],
  ApiKey: ["A key of the account, without its value", "Uma chave da conta, sem o valor"],
  CreatedApiKey: ["A key of the account with its value", "Uma chave da conta com o valor"],
  "ApiKey.id": ["The id of the key, as in paths", "O id da chave, como nos caminhos"],
  scopes: ["What it may do", "O que ela pode fazer"],
  instance_ids: ["The instances that it is restricted to; null: all", "As instâncias a que se restringe; null: todas"],
  "ApiKey.expires_at": ["When it expires; null: never", "Quando expira; null: nunca"],
  last_used_at: ["When it was last used, to the minute; null: never", "Quando foi usada pela última vez, ao minuto; null: nunca"],

  // Service
  Health: ["The service is up", "O serviço está no ar"],
  "Health.status": ["Always ok", "Sempre ok"],
  version: ["The version of this API", "A versão desta API"],
  time: ["The time of the answer", "O momento da resposta"],
  Readiness: ["Whether everything that requests need is there", "Se há tudo de que os pedidos precisam"],
  "Readiness.status": ["unavailable while something is missing", "unavailable enquanto falta algo"],
  checks: ["What was looked at", "O que foi verificado"],
  d1: ["The database answers", "O banco de dados responde"],
  durable_objects: ["Objects answer", "Os objetos respondem"],
  bridge: ["There is a bridge to connect numbers with", "Há uma ponte com que conectar números"],
  OpenApi: ["An OpenAPI document", "Um documento OpenAPI"],
  openapi: ["The version of OpenAPI", "A versão do OpenAPI"],
};

export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(DESCRIPTIONS).map(([name, [english]]) => [name, english]),
);

export const FIELDS_IN_PORTUGUESE: Catalogue = Object.fromEntries(Object.values(DESCRIPTIONS));
