// The error class of each code of both APIs. A new code without a class does not compile.
import * as errors from "./errors.ts";
import type { AccountErrorCode } from "./generated/account.ts";
import type { ConnectionErrorCode } from "./generated/connection.ts";

type Kind =
  | "auth"
  | "permission"
  | "subscription"
  | "invalid"
  | "missing"
  | "conflict"
  | "offline"
  | "recipient"
  | "media"
  | "limit"
  | "network_limit"
  | "unsupported"
  | "server"
  | "blocked"
  | "unknown_outcome";
type ErrorClass = new (facts: errors.ErrorFacts) => errors.ApiError;

const CLASSES: Record<Exclude<Kind, "unknown_outcome">, ErrorClass> = {
  auth: errors.AuthenticationError,
  permission: errors.PermissionError,
  subscription: errors.SubscriptionError,
  invalid: errors.InvalidRequestError,
  missing: errors.NotFoundError,
  conflict: errors.ConflictError,
  offline: errors.NotConnectedError,
  recipient: errors.RecipientError,
  media: errors.MediaError,
  limit: errors.RateLimitError,
  network_limit: errors.NetworkRateLimitError,
  unsupported: errors.NotSupportedError,
  server: errors.ServerError,
  blocked: errors.TemporarilyBlockedError,
};

export const KINDS: Record<ConnectionErrorCode | AccountErrorCode, Kind> = {
  chave_invalida: "auth",
  unauthorized: "auth",
  bearer_required: "auth",
  conta_suspensa: "permission",
  sem_permissao: "permission",
  escopo_insuficiente: "permission",
  mensagem_a_caminho: "conflict",
  message_under_way: "conflict",
  arquivos_em_espera: "media",
  waiting_files_limit: "media",
  limite_de_espera: "limit",
  waiting_limit: "limit",
  exige_conta_comercial: "permission",
  account_suspended: "permission",
  forbidden: "permission",
  not_group_admin: "permission",
  business_account_required: "permission",
  last_administrator: "permission",
  own_account: "permission",
  without_session: "permission",
  sem_assinatura: "subscription",
  subscription_required: "subscription",
  requisicao_invalida: "invalid",
  json_invalido: "invalid",
  tipo_de_conteudo_invalido: "invalid",
  idempotencia_invalida: "invalid",
  corpo_incompleto: "invalid",
  corpo_grande_demais: "invalid",
  numero_invalido: "invalid",
  credenciais_invalidas: "invalid",
  limite_do_tipo: "invalid",
  modelo_invalido: "invalid",
  convite_invalido: "invalid",
  metodo_nao_permitido: "invalid",
  https_obrigatorio: "invalid",
  validation_error: "invalid",
  invalid_json: "invalid",
  unsupported_media_type: "invalid",
  invalid_idempotency_key: "invalid",
  body_incomplete: "invalid",
  body_too_large: "invalid",
  url_not_allowed: "invalid",
  cloud_credentials_invalid: "invalid",
  invalid_number: "invalid",
  limit_of_kind: "invalid",
  template_invalid: "invalid",
  invite_invalid: "invalid",
  method_not_allowed: "invalid",
  https_required: "invalid",
  grupo_nao_encontrado: "missing",
  canal_nao_encontrado: "missing",
  mensagem_nao_encontrada: "missing",
  conversa_nao_encontrada: "missing",
  contato_nao_encontrado: "missing",
  foto_nao_encontrada: "missing",
  perfil_comercial_nao_encontrado: "missing",
  etiqueta_nao_encontrada: "missing",
  nome_desconhecido: "missing",
  chamada_nao_encontrada: "missing",
  rota_nao_encontrada: "missing",
  instance_not_found: "missing",
  chat_not_found: "missing",
  group_not_found: "missing",
  channel_not_found: "missing",
  quoted_message_not_found: "missing",
  source_message_not_found: "missing",
  message_not_found: "missing",
  contact_not_found: "missing",
  picture_not_found: "missing",
  business_profile_not_found: "missing",
  label_not_found: "missing",
  listener_not_found: "missing",
  ouvinte_nao_encontrado: "missing",
  profile_name_unknown: "missing",
  call_not_found: "missing",
  webhook_not_found: "missing",
  delivery_not_found: "missing",
  key_not_found: "missing",
  user_not_found: "missing",
  bridge_not_found: "missing",
  proxy_not_found: "missing",
  route_not_found: "missing",
  qr_indisponivel: "conflict",
  conteudo_diferente: "conflict",
  ja_conectada: "conflict",
  chave_de_acesso_nao_pedida: "conflict",
  chave_de_acesso_recusada: "conflict",
  limite_de_fixados: "conflict",
  prazo_de_edicao: "conflict",
  prazo_de_exclusao: "conflict",
  limite_de_etiquetas: "conflict",
  limite_de_inscricoes: "conflict",
  chamada_encerrada: "conflict",
  content_differs: "conflict",
  instance_limit: "conflict",
  proxy_full: "conflict",
  webhook_limit: "conflict",
  listener_limit: "conflict",
  limite_de_ouvintes: "conflict",
  qr_not_available: "conflict",
  already_connected: "conflict",
  passkey_not_wanted: "conflict",
  passkey_refused: "conflict",
  pin_limit: "conflict",
  edit_window_closed: "conflict",
  delete_window_closed: "conflict",
  label_limit: "conflict",
  subscription_limit: "conflict",
  call_ended: "conflict",
  webhook_inactive: "conflict",
  key_limit: "conflict",
  email_taken: "conflict",
  already_on_bridge: "conflict",
  bridge_draining: "conflict",
  bridge_full: "conflict",
  bridge_elsewhere: "conflict",
  proxy_in_use: "conflict",
  conexao_desconectada: "offline",
  conexao_reconectando: "offline",
  instance_not_connected: "offline",
  instance_reconnecting: "offline",
  conversa_nova_recusada: "recipient",
  numero_sem_conta: "recipient",
  fora_da_janela: "recipient",
  new_chat_refused: "recipient",
  number_not_on_network: "recipient",
  outside_service_window: "recipient",
  midia_grande: "media",
  midia_inacessivel: "media",
  midia_invalida: "media",
  midia_expirada: "media",
  media_too_large: "media",
  media_unreachable: "media",
  media_invalid: "media",
  media_expired: "media",
  excesso_de_pedidos: "limit",
  muitas_tentativas: "limit",
  consulta_repetida: "limit",
  rate_limited: "limit",
  too_many_attempts: "limit",
  repeated_read: "limit",
  limite_do_rede: "network_limit",
  network_rate_limited: "network_limit",
  nao_suportado: "unsupported",
  conversor_ausente: "unsupported",
  not_supported: "unsupported",
  converter_missing: "unsupported",
  erro_interno: "server",
  indisponivel: "server",
  erro_do_rede: "server",
  tempo_esgotado: "server",
  internal_error: "server",
  unavailable: "server",
  network_error: "server",
  network_timeout: "server",
  bloqueio_temporario: "blocked",
  temporarily_blocked: "blocked",
  resultado_incerto: "unknown_outcome",
  send_outcome_unknown: "unknown_outcome",
};

/** The kind of a response that has none of our codes, such as a proxy's page. */
function kindOfStatus(status: number): Exclude<Kind, "unknown_outcome"> {
  if (status === 401) return "auth";
  if (status === 403) return "permission";
  if (status === 404 || status === 410) return "missing";
  if (status === 409) return "conflict";
  if (status === 429) return "limit";
  return status >= 500 ? "server" : "invalid";
}

/** `resolve` looks up the outcome of a send that may have happened. */
export function apiError(facts: errors.ErrorFacts, resolve: (timeoutMs: number) => Promise<errors.Outcome>): errors.ApiError {
  const known = facts.code === null ? undefined : KINDS[facts.code];
  if (known === "unknown_outcome") return new errors.OutcomeUnknownError(facts, resolve);
  return new CLASSES[known ?? kindOfStatus(facts.status)](facts);
}
