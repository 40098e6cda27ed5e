import type { Text } from "#root/src/http/openapi/text.ts";

export const INSTANCE_FIELDS: Readonly<Record<string, Text>> = {
  Instance: { en: "A number, connected or not yet", pt: "Um número, já conectado ou não" },
  "Instance.id": { en: "The id of the instance, as in paths", pt: "O id da instância, como nos caminhos" },
  name: { en: "Your own name for it: 1 to 60 characters", pt: "Um nome à sua escolha: de 1 a 60 caracteres" },
  kind: {
    en: "session: a linked device; cloud_api: a number of Meta's Cloud API",
    pt: "session: um dispositivo conectado; cloud_api: um número da Cloud API da Meta",
  },
  status: {
    en: "The state of the instance",
    pt: "O status da instância",
  },
  status_reason: {
    en: "The reason for this status; `unavailable` if the instance did not respond",
    pt: "O motivo deste status; `unavailable` se a instância não respondeu",
  },
  status_changed_at: {
    en: "When the status last changed; null if unknown",
    pt: "Quando o status mudou pela última vez; null se desconhecido",
  },
  qr_expires_at: {
    en: "When the current QR code expires; null without one",
    pt: "Quando o QR code atual expira; null se não há",
  },
  reconnect: {
    en: "The next attempt to reconnect; null without one",
    pt: "A próxima tentativa de reconexão; null se não há",
  },
  attempt: { en: "Its number, starting at 1", pt: "O número da tentativa, a partir de 1" },
  next_at: { en: "When it starts", pt: "Quando será feita" },
  restriction: {
    en: "WhatsApp's restriction; null if none is known",
    pt: "A restrição do WhatsApp; null se nenhuma é conhecida",
  },
  ban: {
    en: "For a temporary ban: the reason and the end; null without one",
    pt: "Em um banimento temporário: o motivo e o fim; null se não há",
  },
  Ban: { en: "A temporary ban by WhatsApp", pt: "Um banimento temporário do WhatsApp" },
  "Ban.code": {
    en: "WhatsApp's reason code: 101 messages to too many strangers, 102 blocked by many people, 103 too many groups, 104 same message too often, 106 too many broadcast messages; null if unknown",
    pt: "O código do motivo no WhatsApp: 101 mensagens a muitos desconhecidos, 102 bloqueado por muita gente, 103 grupos demais, 104 a mesma mensagem vezes demais, 106 listas de transmissão; null se desconhecido",
  },
  "Ban.ends_at": {
    en: "When it ends; the number then reconnects on its own. null if WhatsApp does not say",
    pt: "Quando termina; depois, o número se reconecta sozinho. null se o WhatsApp não informa",
  },
  new_chat_quota: {
    en: "The number of new chats that WhatsApp still allows; null if unknown",
    pt: "Quantas conversas novas o WhatsApp ainda permite; null se desconhecido",
  },
  profile_name: { en: "The name that others see; null when unknown", pt: "O nome que os outros veem; null se desconhecido" },
  profile_picture_url: { en: "Link to the profile picture; null when unknown", pt: "Link para a foto do perfil; null se desconhecido" },
  platform: { en: "The operating system of the paired phone; null if unknown", pt: "O sistema do celular pareado; null se desconhecido" },
  is_business: { en: "Whether it is a business account; null when unknown", pt: "Se é uma conta comercial; null se desconhecido" },
  metadata: {
    en: "Your own data: at most 20 keys of 40 characters, with values of 500",
    pt: "Dados seus: no máximo 20 chaves de 40 caracteres, com valores de 500",
  },
  proxy_id: { en: "The proxy for its traffic; null: none", pt: "O proxy do tráfego; null: nenhum" },
  last_connected_at: { en: "When it last connected; null: never", pt: "Quando se conectou pela última vez; null: nunca" },
  last_disconnected_at: { en: "When it last lost its connection; null: never", pt: "Quando perdeu a conexão pela última vez; null: nunca" },
  last_inbound_at: { en: "When the last message arrived; null: never", pt: "Quando chegou a última mensagem; null: nunca" },
  cloud_api: {
    en: "The Cloud API's ids of the number; only for the kind cloud_api",
    pt: "Os ids do número na Cloud API; só no tipo cloud_api",
  },
  phone_number_id: { en: "Meta's id of the phone number", pt: "O id do número na Meta" },
  waba_id: { en: "Meta's id of the business account", pt: "O id da conta comercial na Meta" },
  access_token: { en: "A permanent access token from Meta", pt: "Um token de acesso permanente da Meta" },
  access_token_last4: { en: "The last four characters of the access token", pt: "Os quatro últimos caracteres do token de acesso" },
  app_secret: { en: "The app secret, for Meta's webhooks", pt: "A chave secreta do app, para os webhooks da Meta" },
  pin: { en: "The PIN of the number's two-step verification", pt: "O PIN da confirmação em duas etapas do número" },
  connect: { en: "Whether to connect it at once", pt: "Se conecta na hora" },
  webhook: {
    en: "A webhook endpoint for this instance, created with it",
    pt: "Um endpoint de webhook para esta instância, criado com ela",
  },
  force_new_pairing: {
    en: "Unlinks the phone, deletes the session and starts with a QR code. Only for the instance's owner, like logging out",
    pt: "Desvincula o celular, apaga a sessão e começa de novo com um QR code. Só para o dono da instância, como encerrar a sessão",
  },
  "listInstances.status": { en: "Only instances in this status", pt: "Só instâncias neste status" },
  "listInstances.kind": { en: "Only instances of this kind", pt: "Só instâncias deste tipo" },
  InstanceStatus: { en: "The connection state of an instance", pt: "O status da conexão de uma instância" },
  Restriction: { en: "WhatsApp does not let the number start new chats", pt: "O WhatsApp não deixa o número começar conversas novas" },
  "Restriction.type": { en: "What is restricted", pt: "O que está restrito" },
  enforcement: { en: "WhatsApp's name for the restriction", pt: "O nome da restrição no WhatsApp" },
  ends_at: { en: "When it ends; null if unknown", pt: "Quando termina; null se desconhecido" },
  detected_at: { en: "When it was first noticed", pt: "Quando foi percebida pela primeira vez" },
  NewChatQuota: {
    en: "The number of new chats that WhatsApp allows in a cycle",
    pt: "Quantas conversas novas o WhatsApp permite em um ciclo",
  },
  total: {
    en: "New chats allowed in the cycle; null if WhatsApp does not say",
    pt: "Conversas novas permitidas no ciclo; null se o WhatsApp não informa o limite",
  },
  used: { en: "Already started", pt: "Conversas já iniciadas no ciclo" },
  cycle_ends_at: { en: "When the cycle ends", pt: "Quando o ciclo termina" },
  "NewChatQuota.status": { en: "How close to the limit the number is", pt: "Quão perto do limite o número está" },

  Settings: { en: "The current settings", pt: "As configurações atuais" },
  SettingsChange: { en: "Settings to change; the others stay", pt: "Configurações a mudar; as outras não mudam" },
  reject_calls: { en: "Rejects every incoming call at once", pt: "Recusa na hora toda ligação recebida" },
  reject_call_message: {
    en: "Text for a rejected caller, except in group calls; null: none",
    pt: "Texto para quem teve a ligação recusada, exceto em ligações de grupo; null: nenhum",
  },
  always_online: { en: "Shows the number as online while it is connected", pt: "Mostra o número online enquanto está conectado" },
  mark_read_on_receive: { en: "Marks messages as read when they arrive", pt: "Marca as mensagens como lidas quando chegam" },
  ignore_groups: { en: "Does not store or deliver group messages", pt: "Não guarda nem entrega nada de grupos" },
  ignore_channels: { en: "Does not store or deliver channel messages", pt: "Não guarda nem entrega nada de canais" },
  ignore_status: { en: "Does not store or deliver status posts", pt: "Não guarda nem entrega publicações de status" },
  sync_history: { en: "The history that the phone sends when it is linked", pt: "O histórico que o celular envia ao ser pareado" },
  download_media: { en: "Stores files of incoming messages", pt: "Guarda os arquivos das mensagens recebidas" },
  message_retention_days: {
    en: "Days that messages and their files are kept; null: unlimited",
    pt: "Dias em que as mensagens e seus arquivos ficam guardados; null: sem limite",
  },
  media_retention_days: { en: "Days that files are kept", pt: "Dias em que os arquivos ficam guardados" },
  device_name: {
    en: "The name under Linked devices on the phone, from the next pairing on",
    pt: "O nome que aparece no celular, em Dispositivos conectados, a partir do próximo pareamento",
  },
  pacing: { en: "The pace of sends", pt: "O ritmo dos envios" },
  min_gap_ms: {
    en: "Minimum gap between two sends, in milliseconds; sends wait for it",
    pt: "Intervalo mínimo entre dois envios, em milissegundos; os envios esperam por ele",
  },
  new_chats_per_hour: {
    en: "First messages per hour to people who have never written; above it 429. Null: no limit",
    pt: "Primeiras mensagens por hora a quem nunca escreveu; acima disso, 429. Null: sem limite",
  },
  alerts: { en: "Emails to the owner", pt: "E-mails para o dono" },
  stopped: {
    en: "The number has been offline for an hour; the gateway keeps trying",
    pt: "O número está desconectado há uma hora; o gateway continua tentando",
  },
  disconnected_minutes: {
    en: "The number has been disconnected for this many minutes (5 to 1,440) without a request; null: no email",
    pt: "O número está desconectado há tantos minutos (5 a 1.440) sem ninguém ter pedido; null: sem e-mail",
  },
  webhook_failing_minutes: {
    en: "The connection's webhook has accepted nothing for this many minutes (15 to 2,880); null: no email",
    pt: "O webhook da conexão não aceita entregas há tantos minutos (15 a 2.880); null: sem e-mail",
  },
  restricted: { en: "WhatsApp restricts the number: no new chats", pt: "O WhatsApp restringiu o número: sem conversas novas" },
  reply_only: { en: "Sends only to people who have written before", pt: "Só envia mensagens para quem já escreveu" },
  first_contacts: {
    en: "What to do with a first message that WhatsApp or the pacing does not allow now. `send`: WhatsApp's quota does not count. `hold`: it waits (202). `refuse`: it fails",
    pt: "O que fazer com uma primeira mensagem que o WhatsApp ou o ritmo de envio não permite agora. `send`: a cota do WhatsApp não conta. `hold`: ela espera (202). `refuse`: ela falha",
  },
};
