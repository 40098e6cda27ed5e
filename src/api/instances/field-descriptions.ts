// What the fields of an instance and of its settings mean, by their names (see `src/api/docs/account/field-descriptions.ts`).
import type { Text } from "../../http/openapi/text.ts";

export const INSTANCE_FIELDS: Readonly<Record<string, Text>> = {
  Instance: { en: "A connected number, or one that is to be", pt: "Um número conectado, ou que o será" },
  "Instance.id": { en: "The id of the instance, as in paths", pt: "O id da instância, como nos caminhos" },
  name: { en: "A name of your own: 1 to 60 characters", pt: "Um nome próprio: de 1 a 60 caracteres" },
  kind: {
    en: "session: paired with a phone; cloud_api: of the network's cloud",
    pt: "session: pareada com um telefone; cloud_api: da nuvem da rede",
  },
  status: {
    en: "Whether the number is connected, and if not, what it waits for",
    pt: "Se o número está conectado e, se não, o que espera",
  },
  status_reason: {
    en: "Why it is in this status; `unavailable` when it could not be asked",
    pt: "Por que está neste status; `unavailable` quando não pôde ser consultada",
  },
  status_changed_at: {
    en: "When the status last changed; null when unknown",
    pt: "Quando o status mudou pela última vez; null quando desconhecido",
  },
  qr_expires_at: {
    en: "Until when the current QR code can be scanned; null without one",
    pt: "Até quando o QR code atual pode ser lido; null sem um",
  },
  reconnect: {
    en: "The attempt to reconnect that is coming; null when there is none",
    pt: "A próxima tentativa de reconexão; null quando não há",
  },
  attempt: { en: "Its number, from 1 on", pt: "O número dela, a partir de 1" },
  next_at: { en: "When it is made", pt: "Quando será feita" },
  restriction: {
    en: "What the network holds against the number; null when nothing is known",
    pt: "O que a rede impõe ao número; null quando nada se sabe",
  },
  ban: {
    en: "Of a temporary ban: why and until when; null when there is none",
    pt: "De um banimento temporário: por quê e até quando; null quando não há",
  },
  Ban: { en: "The network keeps the number out for a while", pt: "A rede mantém o número fora por um tempo" },
  "Ban.code": {
    en: "Why, in the network's numbers: 101 messages to too many strangers, 102 blocked by many, 103 too many groups, 104 one message too often, 106 broadcast lists; null when it does not say",
    pt: "Por quê, nos números da rede: 101 mensagens a desconhecidos demais, 102 bloqueado por muitos, 103 grupos demais, 104 a mesma mensagem vezes demais, 106 listas de transmissão; null quando ela não diz",
  },
  "Ban.ends_at": {
    en: "When it ends; the number then connects by itself. null when the network does not say",
    pt: "Quando termina; o número então se conecta sozinho. null quando a rede não diz",
  },
  new_chat_quota: {
    en: "How many new chats the network still allows; null when unknown",
    pt: "Quantas conversas novas a rede ainda permite; null quando desconhecido",
  },
  profile_name: { en: "The name that others see; null when unknown", pt: "O nome que os outros veem; null quando desconhecido" },
  profile_picture_url: { en: "Link to the profile picture; null when unknown", pt: "Link para a foto do perfil; null quando desconhecido" },
  platform: { en: "What the paired phone runs; null when unknown", pt: "O sistema do telefone pareado; null quando desconhecido" },
  is_business: { en: "Whether it is a business account; null when unknown", pt: "Se é uma conta comercial; null quando desconhecido" },
  metadata: {
    en: "Facts of your own: at most 20 keys of 40 characters, values of 500",
    pt: "Dados seus: no máximo 20 chaves de 40 caracteres, valores de 500",
  },
  proxy_id: { en: "The proxy that its traffic goes through; null: none", pt: "O proxy por onde passa o tráfego; null: nenhum" },
  last_connected_at: { en: "When it last connected; null: never", pt: "Quando se conectou pela última vez; null: nunca" },
  last_disconnected_at: { en: "When it last lost its connection; null: never", pt: "Quando perdeu a conexão pela última vez; null: nunca" },
  last_inbound_at: { en: "When the last message arrived; null: never", pt: "Quando chegou a última mensagem; null: nunca" },
  cloud_api: {
    en: "How the network's cloud knows the number; only of the kind cloud_api",
    pt: "Como a nuvem da rede conhece o número; só do tipo cloud_api",
  },
  phone_number_id: { en: "The cloud's id of the number", pt: "O id do número na nuvem" },
  waba_id: { en: "The cloud's id of the business account", pt: "O id da conta comercial na nuvem" },
  access_token: { en: "A permanent access token of the cloud", pt: "Um token de acesso permanente da nuvem" },
  access_token_last4: { en: "The last four characters of the access token", pt: "Os quatro últimos caracteres do token de acesso" },
  app_secret: { en: "The secret of the app, for the cloud's own webhooks", pt: "O segredo do app, para os webhooks da própria nuvem" },
  pin: { en: "The PIN of the number's two-step verification", pt: "O PIN da verificação em duas etapas do número" },
  connect: { en: "Whether it is connected at once", pt: "Se é conectada na hora" },
  webhook: { en: "A webhook endpoint for this instance, created with it", pt: "Um endereço de webhook para esta instância, criado junto" },
  force_new_pairing: {
    en: "Unlinks the phone, forgets the session data and starts with a QR code. Only for the instance's owner, like logging out",
    pt: "Desvincula o telefone, esquece os dados da sessão e começa com um QR code. Só para o dono da instância, como encerrar a sessão",
  },
  "listInstances.status": { en: "Only those in this status", pt: "Só as que estão neste status" },
  "listInstances.kind": { en: "Only those of this kind", pt: "Só as deste tipo" },
  InstanceStatus: { en: "How an instance is connected", pt: "Como uma instância está conectada" },
  Restriction: { en: "The network does not let the number start new chats", pt: "A rede não deixa o número iniciar conversas novas" },
  "Restriction.type": { en: "What is restricted", pt: "O que está restrito" },
  enforcement: { en: "How the network calls the measure", pt: "Como a rede chama a medida" },
  ends_at: { en: "When it ends; null when that is unknown", pt: "Quando termina; null quando desconhecido" },
  detected_at: { en: "When it was first noticed", pt: "Quando foi percebida pela primeira vez" },
  NewChatQuota: { en: "How many new chats the network allows in a cycle", pt: "Quantas conversas novas a rede permite em um ciclo" },
  total: {
    en: "New chats allowed in the cycle; null when the network does not say",
    pt: "Conversas novas permitidas no ciclo; null quando a rede não diz",
  },
  used: { en: "Of these, started", pt: "Destas, iniciadas" },
  cycle_ends_at: { en: "When the cycle ends", pt: "Quando o ciclo termina" },
  "NewChatQuota.status": { en: "How close to the limit the number is", pt: "Quão perto do limite o número está" },

  // Settings
  Settings: { en: "Settings as they are in force", pt: "As configurações em vigor" },
  SettingsChange: { en: "Settings to be changed; the others stay", pt: "Configurações a mudar; as outras ficam" },
  reject_calls: { en: "Every incoming call is rejected at once", pt: "Toda chamada recebida é rejeitada na hora" },
  reject_call_message: {
    en: "Text that a rejected caller gets, in calls to the number alone; null: none",
    pt: "Texto que recebe quem teve a chamada rejeitada, em chamadas só ao número; null: nenhum",
  },
  always_online: { en: "The number shows as online while it is connected", pt: "O número aparece online enquanto está conectado" },
  mark_read_on_receive: { en: "Messages are marked as read when they arrive", pt: "Mensagens são marcadas como lidas quando chegam" },
  ignore_groups: { en: "Nothing of groups is stored or delivered", pt: "Nada de grupos é guardado ou entregue" },
  ignore_channels: { en: "Nothing of channels is stored or delivered", pt: "Nada de canais é guardado ou entregue" },
  ignore_status: { en: "Nothing of status posts is stored or delivered", pt: "Nada de publicações de status é guardado ou entregue" },
  sync_history: { en: "What the phone hands over when it is linked", pt: "O que o telefone entrega ao ser vinculado" },
  download_media: { en: "Files of incoming messages are stored", pt: "Arquivos das mensagens recebidas são guardados" },
  message_retention_days: {
    en: "How many days messages are stored, with their files; null: without limit",
    pt: "Por quantos dias as mensagens são guardadas, com seus arquivos; null: sem limite",
  },
  media_retention_days: { en: "How many days files are stored", pt: "Por quantos dias os arquivos são guardados" },
  device_name: {
    en: "What the phone lists under linked devices, from the next pairing on",
    pt: "O que o telefone mostra em aparelhos conectados, a partir do próximo pareamento",
  },
  pacing: { en: "How sends are spread over time", pt: "Como os envios se espalham no tempo" },
  min_gap_ms: {
    en: "Shortest pause between two sends, which wait for it, in milliseconds",
    pt: "Menor pausa entre dois envios, que esperam por ela, em milissegundos",
  },
  new_chats_per_hour: {
    en: "First messages to people who never wrote; beyond it 429. Null: no limit",
    pt: "Primeiras mensagens a quem nunca escreveu; além disso, 429. Null: sem limite",
  },
  alerts: { en: "Mails to the owner", pt: "E-mails ao dono" },
  stopped: {
    en: "The number has been without the network for an hour; it goes on trying",
    pt: "O número está sem rede há uma hora; ele continua tentando",
  },
  disconnected_minutes: {
    en: "The number is not connected, for so many minutes (5 to 1,440), and nobody wanted it so; null: no mail",
    pt: "O número não está conectado, há tantos minutos (5 a 1.440), sem que alguém quisesse; null: sem e-mail",
  },
  webhook_failing_minutes: {
    en: "The connection's webhook accepts nothing, for so many minutes (15 to 2,880); null: no mail",
    pt: "O webhook da conexão não aceita nada, há tantos minutos (15 a 2.880); null: sem e-mail",
  },
  restricted: { en: "The network does not let the number start new chats", pt: "A rede não deixa o número iniciar conversas novas" },
  reply_only: { en: "Only people who have written may be written to", pt: "Só se pode escrever a quem já escreveu" },
};
