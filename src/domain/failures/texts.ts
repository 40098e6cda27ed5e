// Texts for `message`, and in Portuguese for the Connection API's `mensagem` (docs/use/apis.md, "Account API and Connection API").
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";

type Text = Readonly<Record<"en" | "pt", string>>;

/** The dashboard also has details that are null or a list. */
export type FailureLike = { code: FailureCode; details?: object | null | undefined };

export const FAILURE_TEXTS: Readonly<Record<FailureCode, Text>> = {
  invalid_json: { en: "The request body is not valid JSON.", pt: "O corpo da requisição não é um JSON válido." },
  body_incomplete: {
    en: "The request body ended early, or its transfer encoding is malformed.",
    pt: "O corpo da requisição chegou incompleto, ou a codificação de transferência está malformada.",
  },
  validation_error: { en: "The request has invalid fields. See the details.", pt: "A requisição tem campos inválidos. Veja os detalhes." },
  invalid_number: {
    en: "The phone number must be 7 to 15 digits, digits only, without a leading zero.",
    pt: "O número deve ter de 7 a 15 dígitos, só números, sem zero à esquerda.",
  },
  invalid_idempotency_key: {
    en: "The Idempotency-Key header must be 1 to 255 visible ASCII characters without spaces.",
    pt: "O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres ASCII visíveis, sem espaços.",
  },
  cloud_credentials_invalid: {
    en: "Meta did not accept the Cloud API credentials.",
    pt: "A Meta não aceitou as credenciais da Cloud API.",
  },
  unauthorized: {
    en: "The credentials are missing, invalid or revoked.",
    pt: "Chave de API ausente, inválida ou revogada. Esta API usa a chave da conexão (svc_…).",
  },
  subscription_required: { en: "The account has no active subscription.", pt: "A conta não tem uma assinatura ativa." },
  forbidden: { en: "You do not have permission for this.", pt: "Você não tem permissão para esta ação." },
  scope_missing: {
    en: "This key does not have the permission that this route requires.",
    pt: "Esta chave não tem a permissão que esta rota exige.",
  },
  message_under_way: {
    en: "This message is no longer waiting: it is being sent, or has ended.",
    pt: "Esta mensagem não está mais na fila: está sendo enviada ou já terminou.",
  },
  waiting_files_limit: {
    en: "The files of this number's waiting sends would exceed 100 MB. Cancel some, or send later.",
    pt: "Os arquivos dos envios na fila deste número passariam de 100 MB. Cancele alguns ou envie mais tarde.",
  },
  waiting_limit: {
    en: "This number already has 10,000 waiting sends. Cancel some, or send later.",
    pt: "Este número já tem 10.000 envios na fila. Cancele alguns ou envie mais tarde.",
  },
  expired: {
    en: "The number could not send the message before its deadline.",
    pt: "O número não conseguiu enviar a mensagem antes do fim do prazo.",
  },
  not_group_admin: {
    en: "WhatsApp refused: the number lacks permission, for example because it is not a group admin.",
    pt: "O WhatsApp recusou a ação: o número não tem permissão, por exemplo porque não é administrador do grupo.",
  },
  https_required: {
    en: "Use HTTPS: the gateway refuses plain HTTP.",
    pt: "Use HTTPS: o gateway recusa requisições por HTTP sem criptografia.",
  },
  account_suspended: { en: "The account is suspended.", pt: "A conta está suspensa." },
  business_account_required: { en: "This requires a business account.", pt: "Esta ação exige uma conta comercial." },
  new_chat_refused: {
    en: "The instance only replies (reply_only), and this person has not written to it.",
    pt: "Esta conexão só responde (reply_only), e esta pessoa ainda não escreveu para ela.",
  },
  bearer_required: {
    en: "This requires a bearer token; an API key is not enough.",
    pt: "Esta ação exige um token de acesso; uma chave de API não basta.",
  },
  route_not_found: { en: "This route does not exist.", pt: "Esta rota não existe." },
  method_not_allowed: {
    en: "This route exists, but not with this method. See the details or the Allow header.",
    pt: "Esta rota existe, mas não com este método. Veja os detalhes ou o cabeçalho Allow.",
  },
  instance_not_found: { en: "Instance not found.", pt: "Conexão não encontrada." },
  chat_not_found: { en: "Chat not found.", pt: "Conversa não encontrada." },
  message_not_found: { en: "Message not found.", pt: "Mensagem não encontrada." },
  quoted_message_not_found: { en: "Quoted message not found.", pt: "Mensagem citada não encontrada." },
  source_message_not_found: { en: "Source message not found.", pt: "Mensagem de origem não encontrada." },
  group_not_found: { en: "Group not found.", pt: "Grupo não encontrado." },
  contact_not_found: { en: "Contact not found.", pt: "Contato não encontrado." },
  listener_not_found: {
    en: "Listener not found: it expired, or another key created it. Create a new one.",
    pt: "Ouvinte não encontrado: expirou, ou outra chave o criou. Crie um novo.",
  },
  label_not_found: { en: "Label not found.", pt: "Etiqueta não encontrada." },
  channel_not_found: { en: "Channel not found.", pt: "Canal não encontrado." },
  call_not_found: { en: "Call not found.", pt: "Ligação não encontrada." },
  webhook_not_found: { en: "Webhook not found.", pt: "Webhook não encontrado." },
  delivery_not_found: { en: "Delivery not found.", pt: "Entrega não encontrada." },
  pairing_link_not_found: {
    en: "This pairing link does not exist or no longer works.",
    pt: "Este link de pareamento não existe ou não funciona mais.",
  },
  key_not_found: { en: "Key not found.", pt: "Chave não encontrada." },
  request_not_found: {
    en: "Request not found. The log keeps 7 days.",
    pt: "Requisição não encontrada. O registro guarda as requisições por 7 dias.",
  },
  user_not_found: { en: "User not found.", pt: "Usuário não encontrado." },
  proxy_not_found: { en: "Proxy not found.", pt: "Proxy não encontrado." },
  picture_not_found: { en: "There is no picture, or it is hidden.", pt: "Não há foto, ou ela está oculta." },
  business_profile_not_found: { en: "This is not a business account.", pt: "Esta não é uma conta comercial." },
  bridge_not_found: {
    en: "This session bridge does not exist or is not connected.",
    pt: "Este bridge de sessão não existe ou não está conectado.",
  },
  instance_not_connected: {
    en: "The number is not connected. Connect it and try again.",
    pt: "O número não está conectado. Conecte o número e tente de novo.",
  },
  passkey_not_wanted: {
    en: "No passkey is expected now. One is expected only while status_reason is passkey_wanted.",
    pt: "O WhatsApp não está pedindo a chave de acesso agora. Ele só pede enquanto status_reason é passkey_wanted.",
  },
  passkey_refused: {
    en: "WhatsApp rejected the passkey response. Ask the browser again, with a passkey of the same account.",
    pt: "O WhatsApp recusou a resposta da chave de acesso. Repita o pedido no navegador, com uma chave da mesma conta.",
  },
  qr_not_available: {
    en: "There is no QR code now. One exists only while the status is scan_qr.",
    pt: "Não há QR code agora: ele só existe enquanto o status é scan_qr.",
  },
  already_connected: { en: "The number is already connected.", pt: "O número já está conectado." },
  call_ended: { en: "The call has already ended.", pt: "A ligação já terminou." },
  content_differs: {
    en: "This message_id or Idempotency-Key was already used, with other content or too long ago to tell. Use a new value only for a new request.",
    pt: "Este message_id ou esta Idempotency-Key já foi usado, com outro conteúdo ou há tempo demais para comparar. Use um valor novo só para uma requisição nova.",
  },
  label_limit: { en: "You have reached the maximum number of labels.", pt: "Você chegou ao limite de etiquetas." },
  pin_limit: { en: "You have reached the maximum number of pinned items.", pt: "Você chegou ao limite de itens fixados." },
  email_taken: { en: "A user with this email address already exists.", pt: "Já existe um usuário com este e-mail." },
  own_account: {
    en: "Administrators cannot do this to their own account. Another administrator can.",
    pt: "Administradores não podem fazer isso com a própria conta. Outro administrador pode.",
  },
  last_administrator: {
    en: "This is the last active administrator. Appoint another one first.",
    pt: "Este é o último administrador ativo. Nomeie outro antes.",
  },
  upload_limit: {
    en: "Too many uploaded files are waiting to be sent. The gateway removes them after an hour, so try again later.",
    pt: "Há arquivos demais esperando para ser enviados. O gateway apaga cada arquivo depois de uma hora. Tente mais tarde.",
  },
  pairing_link_limit: {
    en: "There are already 10 active pairing links. Revoke one first.",
    pt: "Já existem 10 links de pareamento ativos. Revogue um antes.",
  },
  key_limit: {
    en: "You have reached the maximum number of keys: 3 active ones per connection, 50 per account. Revoke one first.",
    pt: "Você chegou ao limite de chaves: 3 ativas por conexão, 50 por conta. Revogue uma antes.",
  },
  instance_limit: { en: "Your plan does not allow more instances.", pt: "Seu plano não permite mais conexões." },
  listener_limit: {
    en: "This number already has five listeners, and none of them makes room for a new one.",
    pt: "Este número já tem cinco ouvintes, e nenhum deles dá lugar a um novo.",
  },
  webhook_limit: { en: "You have reached the maximum number of webhooks.", pt: "Você chegou ao limite de webhooks." },
  subscription_limit: {
    en: "You have reached the maximum number of presence subscriptions.",
    pt: "Você chegou ao limite de conversas com presença acompanhada.",
  },
  proxy_full: { en: "The proxy does not have room for so many instances.", pt: "O proxy atingiu o limite de conexões." },
  proxy_in_use: {
    en: "Instances use this proxy. With reassign=true they move to other proxies that have room. See the details.",
    pt: "Há conexões usando este proxy. Com reassign=true, elas passam para outros proxies com vaga. Veja os detalhes.",
  },
  test_first: { en: "First send a test that the destination accepts.", pt: "Envie antes um teste que o destino aceite." },
  webhook_inactive: {
    en: "The webhook is disabled. Set is_active to true first.",
    pt: "O webhook está desativado. Antes, mude is_active para true.",
  },
  profile_name_unknown: {
    en: "The profile name is not known yet. Try again in a moment.",
    pt: "O gateway ainda não sabe o nome do perfil. Tente de novo em instantes.",
  },
  without_session: { en: "This kind of instance has no session on a bridge.", pt: "Este tipo de conexão não tem sessão em um bridge." },
  already_on_bridge: { en: "The session is already on this bridge.", pt: "A sessão já está neste bridge." },
  bridge_draining: { en: "The bridge is draining and accepts no sessions.", pt: "O bridge está sendo esvaziado e não recebe sessões." },
  bridge_elsewhere: {
    en: "The bridge does not run in a container of this deployment. Restart and read it where it runs.",
    pt: "O bridge não roda em um contêiner desta instalação: reinicie e consulte o bridge onde ele roda.",
  },
  bridge_full: { en: "No other session bridge has room.", pt: "Nenhum outro bridge de sessão tem espaço." },
  media_expired: { en: "The media has expired.", pt: "A mídia expirou." },
  body_too_large: {
    en: "The request body is too large. See the limit in the details, and send large files by url.",
    pt: "O corpo da requisição é grande demais. Veja o limite nos detalhes e envie arquivos grandes por url.",
  },
  media_too_large: { en: "The file is larger than 50 MB.", pt: "O arquivo passa de 50 MB." },
  unsupported_media_type: { en: "The body must be application/json.", pt: "O corpo deve ser application/json." },
  number_not_on_network: { en: "This number is not on WhatsApp.", pt: "Este número não tem WhatsApp." },
  media_unreachable: { en: "The gateway could not fetch the file from the url.", pt: "Não foi possível baixar o arquivo da url." },
  media_invalid: { en: "The file is damaged or not of the expected type.", pt: "O arquivo está corrompido ou não é do tipo esperado." },
  limit_of_kind: { en: "This exceeds the limit of this kind of instance.", pt: "A requisição passa do limite deste tipo de conexão." },
  outside_service_window: {
    en: "Outside the service window: use an approved template.",
    pt: "Fora da janela de atendimento: use um modelo aprovado.",
  },
  template_invalid: {
    en: "The template does not exist or does not match its parameters.",
    pt: "O modelo não existe ou não corresponde aos parâmetros.",
  },
  edit_window_closed: { en: "This message can no longer be edited.", pt: "O prazo para editar esta mensagem terminou." },
  delete_window_closed: {
    en: "This message can no longer be deleted for everyone.",
    pt: "O prazo para apagar esta mensagem para todos terminou.",
  },
  url_not_allowed: {
    en: "This URL is not allowed: use a public https address.",
    pt: "Esta URL não é permitida: use um endereço https público.",
  },
  invite_invalid: { en: "The invite does not exist or is no longer valid.", pt: "O convite não existe ou não é mais válido." },
  temporarily_blocked: {
    en: "WhatsApp temporarily blocks sends from this number. Stop and wait: retrying raises the risk of a ban.",
    pt: "O WhatsApp bloqueou por um tempo os envios deste número. Pare de enviar e espere: insistir aumenta o risco de banimento.",
  },
  send_outcome_unknown: {
    en: "The message may have been sent. Check the chat before you send it again.",
    pt: "A mensagem pode ter sido enviada. Confira a conversa antes de enviar de novo.",
  },
  rate_limited: {
    en: "Too many requests in a short time. Wait for the seconds in Retry-After.",
    pt: "Requisições demais em pouco tempo. Espere os segundos que Retry-After indica.",
  },
  repeated_read: {
    en: "You made the same read more than 60 times in 1 minute. Wait for the seconds in Retry-After.",
    pt: "Você fez a mesma consulta mais de 60 vezes em 1 minuto. Espere os segundos que Retry-After indica.",
  },
  too_many_attempts: {
    en: "Too many attempts with missing or invalid credentials. Wait for the seconds in Retry-After.",
    pt: "Tentativas demais com chave ausente ou inválida. Espere os segundos que Retry-After indica.",
  },
  network_rate_limited: {
    en: "WhatsApp is limiting the rate of this number. Stop and wait.",
    pt: "O WhatsApp está limitando os envios deste número. Pare de enviar e espere.",
  },
  internal_error: { en: "Internal error. Give the request_id to support.", pt: "Erro interno. Informe o request_id ao suporte." },
  not_supported: { en: "This kind of instance does not support this.", pt: "Este tipo de conexão não tem este recurso." },
  converter_missing: {
    en: "This gateway cannot convert audio or video. Send the file in the expected format.",
    pt: "Este gateway não tem conversor de áudio e vídeo: envie o arquivo no formato esperado.",
  },
  network_error: { en: "WhatsApp returned something unexpected.", pt: "O WhatsApp retornou uma resposta inesperada." },
  instance_reconnecting: {
    en: "The number is reconnecting. Try again in a moment.",
    pt: "O número está se reconectando. Tente de novo em instantes.",
  },
  unavailable: {
    en: "The service is currently unavailable. Try again in a moment.",
    pt: "Serviço indisponível no momento. Tente de novo em instantes.",
  },
  network_timeout: { en: "WhatsApp did not respond in time.", pt: "O WhatsApp não respondeu a tempo." },
};

const OF_REASONS: Readonly<Record<string, Text>> = {
  "media_invalid too_long": {
    en: "The file is too long to convert. Send it in the expected format or as a document.",
    pt: "O arquivo é longo demais para converter. Envie no formato esperado ou como documento.",
  },
  "unauthorized connection_key": {
    en: "This looks like a connection's key (svc_…). It belongs to /api/v1; this API needs an account key (acc_…).",
    pt: "Esta parece a chave de uma conexão (svc_…). Ela vale em /api/v1; esta API exige uma chave da conta (acc_…).",
  },
  "unauthorized key_as_bearer": {
    en: "This looks like an account key (acc_…). Send it in the header X-Api-Key.",
    pt: "Esta parece uma chave da conta (acc_…). Envie-a no cabeçalho X-Api-Key.",
  },
  "instance_not_connected cloud_token_invalid": {
    en: "Meta no longer accepts the number's access token. Enter a new token and try again.",
    pt: "A Meta não aceita mais o token de acesso do número. Cadastre um novo token e tente de novo.",
  },
};

const COUNTRY_MISSING = {
  en: "This number is not on WhatsApp, but with 55 in front it is. Is the country code missing?",
  pt: "Este número não tem WhatsApp, mas com 55 na frente tem. Faltou o 55?",
};

export function englishText(failure: Failure): string {
  return ofDetails(failure)?.en ?? FAILURE_TEXTS[failure.code].en;
}

export function portugueseText(failure: Failure): string {
  return ofDetails(failure)?.pt ?? FAILURE_TEXTS[failure.code].pt;
}

/** `own` has the dashboard's texts, which replace the general ones. Returns an empty text for a code from another release. */
export function dashboardText(failure: FailureLike, own: Readonly<Partial<Record<FailureCode, string>>>, language: keyof Text): string {
  const general: Partial<typeof FAILURE_TEXTS> = FAILURE_TEXTS;
  return ofDetails(failure)?.[language] ?? own[failure.code] ?? general[failure.code]?.[language] ?? "";
}

function ofDetails({ code, details: given }: FailureLike) {
  const details = given as Readonly<Record<string, unknown>> | null | undefined;
  if (code === "number_not_on_network") return details?.["suggested_number"] === undefined ? undefined : COUNTRY_MISSING;
  const reason = details?.["reason"];
  return typeof reason === "string" ? OF_REASONS[`${code} ${reason}`] : undefined;
}
