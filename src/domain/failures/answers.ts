// The answer to every failure: one row per code, so that a new code does not build without its answer (docs/apis.md, "Errors").
import type { FailureCode } from "../../protocol/failures.ts";

/** The Account API and the dashboard show the code itself, the Connection API shows `codigo`. */
export type FailureAnswer = {
  status: number;
  codigo: string;
  /** `Retry-After` unless the failure itself has one. */
  retryAfterSeconds?: number;
};

export const FAILURE_ANSWERS: Record<FailureCode, FailureAnswer> = {
  invalid_json: { status: 400, codigo: "json_invalido" },
  body_incomplete: { status: 400, codigo: "corpo_incompleto" },
  validation_error: { status: 400, codigo: "requisicao_invalida" },
  invalid_number: { status: 400, codigo: "numero_invalido" },
  invalid_idempotency_key: { status: 400, codigo: "idempotencia_invalida" },
  cloud_credentials_invalid: { status: 400, codigo: "credenciais_invalidas" },
  unauthorized: { status: 401, codigo: "chave_invalida" },
  subscription_required: { status: 402, codigo: "sem_assinatura" },
  forbidden: { status: 403, codigo: "sem_permissao" },
  not_group_admin: { status: 403, codigo: "sem_permissao" },
  https_required: { status: 403, codigo: "https_obrigatorio" },
  account_suspended: { status: 403, codigo: "conta_suspensa" },
  business_account_required: { status: 403, codigo: "exige_conta_comercial" },
  new_chat_refused: { status: 403, codigo: "conversa_nova_recusada" },
  bearer_required: { status: 403, codigo: "exige_token" },
  route_not_found: { status: 404, codigo: "rota_nao_encontrada" },
  instance_not_found: { status: 404, codigo: "conexao_nao_encontrada" },
  chat_not_found: { status: 404, codigo: "conversa_nao_encontrada" },
  message_not_found: { status: 404, codigo: "mensagem_nao_encontrada" },
  quoted_message_not_found: { status: 404, codigo: "mensagem_nao_encontrada" },
  source_message_not_found: { status: 404, codigo: "mensagem_nao_encontrada" },
  group_not_found: { status: 404, codigo: "grupo_nao_encontrado" },
  contact_not_found: { status: 404, codigo: "contato_nao_encontrado" },
  label_not_found: { status: 404, codigo: "etiqueta_nao_encontrada" },
  channel_not_found: { status: 404, codigo: "canal_nao_encontrado" },
  call_not_found: { status: 404, codigo: "chamada_nao_encontrada" },
  webhook_not_found: { status: 404, codigo: "webhook_nao_encontrado" },
  delivery_not_found: { status: 404, codigo: "entrega_nao_encontrada" },
  pairing_link_not_found: { status: 404, codigo: "link_nao_encontrado" },
  key_not_found: { status: 404, codigo: "chave_nao_encontrada" },
  request_not_found: { status: 404, codigo: "chamada_nao_registrada" },
  user_not_found: { status: 404, codigo: "usuario_nao_encontrado" },
  proxy_not_found: { status: 404, codigo: "proxy_nao_encontrado" },
  picture_not_found: { status: 404, codigo: "foto_nao_encontrada" },
  business_profile_not_found: { status: 404, codigo: "perfil_comercial_nao_encontrado" },
  bridge_not_found: { status: 404, codigo: "bridge_nao_encontrado" },
  instance_not_connected: { status: 409, codigo: "conexao_desconectada" },
  qr_not_available: { status: 409, codigo: "qr_indisponivel" },
  already_connected: { status: 409, codigo: "ja_conectada" },
  call_ended: { status: 409, codigo: "chamada_encerrada" },
  content_differs: { status: 409, codigo: "conteudo_diferente" },
  label_limit: { status: 409, codigo: "limite_de_etiquetas" },
  pin_limit: { status: 409, codigo: "limite_de_fixados" },
  email_taken: { status: 409, codigo: "email_em_uso" },
  own_account: { status: 409, codigo: "conta_propria" },
  last_administrator: { status: 409, codigo: "ultimo_administrador" },
  pairing_link_limit: { status: 409, codigo: "limite_de_links" },
  key_limit: { status: 409, codigo: "limite_de_chaves" },
  instance_limit: { status: 409, codigo: "limite_de_conexoes" },
  webhook_limit: { status: 409, codigo: "limite_de_webhooks" },
  subscription_limit: { status: 409, codigo: "limite_de_inscricoes" },
  proxy_full: { status: 409, codigo: "proxy_cheio" },
  proxy_in_use: { status: 409, codigo: "proxy_em_uso" },
  test_first: { status: 409, codigo: "teste_antes" },
  webhook_inactive: { status: 409, codigo: "webhook_inativo" },
  profile_name_unknown: { status: 409, codigo: "nome_desconhecido" },
  without_session: { status: 409, codigo: "sem_sessao" },
  already_on_bridge: { status: 409, codigo: "ja_no_bridge" },
  bridge_draining: { status: 409, codigo: "bridge_em_drenagem" },
  bridge_full: { status: 409, codigo: "bridge_sem_lugar" },
  media_expired: { status: 410, codigo: "midia_expirada" },
  body_too_large: { status: 413, codigo: "corpo_grande_demais" },
  media_too_large: { status: 413, codigo: "midia_grande" },
  unsupported_media_type: { status: 415, codigo: "tipo_de_conteudo_invalido" },
  number_not_on_network: { status: 422, codigo: "numero_sem_conta" },
  media_unreachable: { status: 422, codigo: "midia_inacessivel" },
  media_invalid: { status: 422, codigo: "midia_invalida" },
  limit_of_kind: { status: 422, codigo: "limite_do_tipo" },
  outside_service_window: { status: 422, codigo: "fora_da_janela" },
  template_invalid: { status: 422, codigo: "modelo_invalido" },
  edit_window_closed: { status: 422, codigo: "prazo_de_edicao" },
  delete_window_closed: { status: 422, codigo: "prazo_de_exclusao" },
  url_not_allowed: { status: 422, codigo: "url_nao_permitida" },
  invite_invalid: { status: 422, codigo: "convite_invalido" },
  temporarily_blocked: { status: 423, codigo: "bloqueio_temporario" },
  send_outcome_unknown: { status: 424, codigo: "resultado_incerto" },
  rate_limited: { status: 429, codigo: "excesso_de_pedidos" },
  repeated_read: { status: 429, codigo: "consulta_repetida" },
  too_many_attempts: { status: 429, codigo: "muitas_tentativas" },
  network_rate_limited: { status: 429, codigo: "limite_do_rede", retryAfterSeconds: 60 },
  internal_error: { status: 500, codigo: "erro_interno" },
  not_supported: { status: 501, codigo: "nao_suportado" },
  converter_missing: { status: 501, codigo: "conversor_ausente" },
  network_error: { status: 502, codigo: "erro_do_rede" },
  instance_reconnecting: { status: 503, codigo: "conexao_reconectando", retryAfterSeconds: 2 },
  unavailable: { status: 503, codigo: "indisponivel", retryAfterSeconds: 2 },
  network_timeout: { status: 504, codigo: "tempo_esgotado" },
};

/** Every `codigo` there is. */
export const CODIGOS: readonly string[] = [...new Set(Object.values(FAILURE_ANSWERS).map(({ codigo }) => codigo))];

/** Whole seconds for `Retry-After`, or null when there is none. */
export function retryAfterOf(failure: { code: FailureCode; retryAfter?: number | undefined }): number | null {
  return failure.retryAfter ?? FAILURE_ANSWERS[failure.code].retryAfterSeconds ?? null;
}
