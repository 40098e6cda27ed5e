// Problems with request fields, in English and Portuguese.
import { fail, type Failed, type FieldIssue } from "@gateway/protocol/failures.ts";

export type Language = "en" | "pt";

const PROBLEMS = {
  not_a_phone: {
    en: "must be 7 to 15 digits, digits only, without a leading zero",
    pt: "deve ter de 7 a 15 dígitos, sem espaços, sinais nem zero à esquerda",
  },
  not_a_person: {
    en: "must be a phone number (digits only, 7 to 15) or <phone>@c.us",
    pt: "deve ser um número de telefone (só dígitos, de 7 a 15) ou <telefone>@c.us",
  },
  not_a_lid: { en: "is not a LID", pt: "não é um LID" },
  not_a_contact_id: { en: "is not the id of a contact", pt: "não é o id de um contato" },
  not_a_chat_id: { en: "is not the id of a chat", pt: "não é o id de uma conversa" },
  use_chat_id: { en: "is the id of a chat: use chat_id", pt: "é o id de uma conversa: use chat_id" },
  not_a_conversation: { en: "is not a chat with a person or a group", pt: "não é uma conversa com uma pessoa nem um grupo" },
  not_a_group_id: { en: "is not the id of a group", pt: "não é o id de um grupo" },
  not_an_invite: { en: "is not the code or the link of an invitation", pt: "não é um código nem um link de convite" },
  not_a_channel_id: { en: "is not the id of a channel", pt: "não é o id de um canal" },
  not_a_channel_key: { en: "is not the id, the code or the link of a channel", pt: "não é o id, o código nem o link de um canal" },
  not_a_channel_message: { en: "is not the number of a message of the channel", pt: "não é o número de uma mensagem do canal" },
  not_a_time: { en: "must be a time, in Unix seconds or ISO 8601", pt: "deve ser uma data e hora, em segundos Unix ou ISO 8601" },
  too_long: { en: "must have at most {most} characters", pt: "deve ter no máximo {most} caracteres" },
  not_an_emoji: { en: "must be one emoji, or empty to remove the reaction", pt: "deve ser um emoji, ou vazio para remover a reação" },
  not_base64: { en: "must be Base64", pt: "deve ser base64" },
  data_url: {
    en: "send only the content in Base64, without the prefix data:…;base64,",
    pt: "envie só o conteúdo em base64, sem o prefixo data:…;base64,",
  },
  bad_base64: {
    en: "must be Base64 (standard alphabet, with padding)",
    pt: "deve ser base64 (alfabeto padrão, com preenchimento)",
  },
  empty_file: { en: "must not be empty", pt: "não pode ficar vazio" },
  not_a_media_type: { en: "must be a media type, such as image/png", pt: "deve ser um tipo de mídia, como image/png" },
  control_characters: { en: "must not have control characters", pt: "não pode ter caracteres de controle" },
  one_source: { en: "give exactly one of the two: url or base64", pt: "informe exatamente um dos dois: url ou base64" },
  filename_missing: { en: "is required for documents", pt: "é obrigatório em documentos" },
  one_destination: { en: "give exactly one of the two: to or chat_id", pt: "informe exatamente um dos dois: to ou chat_id" },
  vcard_alone: { en: "cannot come with other fields", pt: "não pode vir com outros campos" },
  not_a_vcard: { en: "is not a vCard with a name", pt: "não é um vCard com nome" },
  card_incomplete: { en: "give full_name and phone, or vcard", pt: "informe full_name e phone, ou vcard" },
  repeated_option: { en: "must not repeat an option", pt: "não pode ter opções repetidas" },
  too_many_choices: { en: "is greater than the number of options", pt: "é maior que o número de opções" },
  ends_first: { en: "must be after starts_at", pt: "deve ser posterior a starts_at" },
  too_many_rows: { en: "must have at most {most} rows in total", pt: "deve ter no máximo {most} linhas no total" },
  repeated_row: { en: "must not repeat a row_id", pt: "não pode repetir row_id" },
  repeated_button: { en: "must not repeat a button_id", pt: "não pode repetir button_id" },
  too_large: { en: "must have at most {most} KB", pt: "deve ter no máximo {most} KB" },
  not_a_label_color: { en: "is not one of WhatsApp's 20 colours", pt: "não é uma das 20 cores do WhatsApp" },
  one_color: { en: "give color or color_hex, not both", pt: "informe color ou color_hex, não os dois" },
  not_a_color: { en: "must be a colour such as #1F7A5C", pt: "deve ser uma cor como #1F7A5C" },
  not_a_cursor: { en: "is not a cursor of this list", pt: "não é um cursor desta lista" },
  not_a_public_host: {
    en: "must be a public address or name, without scheme and port",
    pt: "deve ser um endereço ou nome público, sem protocolo nem porta",
  },
  with_username: { en: "requires username", pt: "exige username" },
  unknown_proxy: { en: "there is no such proxy, or it is not active", pt: "este proxy não existe ou não está ativo" },
  other_number: { en: "cannot be changed: another number is another instance", pt: "não pode mudar: outro número é outra instância" },
  cloud_credentials_missing: { en: "is required for this kind", pt: "é obrigatório para este tipo" },
  cloud_credentials_alone: { en: "is only for instances of the kind cloud_api", pt: "só vale para instâncias do tipo cloud_api" },
  not_a_browser_key: { en: "is not a browser's push key", pt: "não é uma chave de notificações de um navegador" },
  old_push_key: { en: "is not a current server key", pt: "não é uma chave atual do servidor" },
  own_address: { en: "this is the owner", pt: "é o endereço do dono" },
  not_future: { en: "must be in the future", pt: "deve estar no futuro" },
  unknown_event: { en: "unknown event", pt: "evento desconhecido" },
  empty_events: { en: "at least one event", pt: "precisa de pelo menos um evento" },
  range_ends_first: { en: "must be later than `from`", pt: "deve ser posterior a from" },
  long_range: { en: "must be at most 90 days after `from`", pt: "deve ser no máximo 90 dias depois de from" },
  old_hours: { en: "hours are kept for 31 days", pt: "as horas são guardadas por 31 dias" },
  one_filter: { en: "not together with `user_id`", pt: "não pode ser usado com user_id" },
  not_an_instant: {
    en: "must be a time with its offset from UTC (RFC 3339), or Unix seconds",
    pt: "deve ser uma data e hora com o fuso (RFC 3339), ou segundos Unix",
  },
  past_time: { en: "must not be in the past", pt: "não pode estar no passado" },
  far_time: { en: "must be at most 365 days ahead", pt: "deve ser daqui a no máximo 365 dias" },
  ends_before: { en: "must be later than `at`", pt: "deve ser posterior a at" },
  long_wait: { en: "must be at most 7 days after `at`", pt: "deve ser no máximo 7 dias depois de at" },
  file_gone: {
    en: "is after the end of the file's storage; send the message again",
    pt: "passa do prazo em que o arquivo fica guardado; envie a mensagem de novo",
  },
  message_without_text: { en: "this message has no text", pt: "esta mensagem não tem texto" },
  not_an_address_block: {
    en: "must be an IPv4 or IPv6 address, or a block such as 203.0.113.0/24",
    pt: "deve ser um endereço IPv4 ou IPv6, ou um bloco como 203.0.113.0/24",
  },
  empty_change: { en: "must have at least one field", pt: "deve ter ao menos um campo" },
  too_many_headers: { en: "at most {most} headers", pt: "no máximo {most} cabeçalhos" },
  repeated_header: { en: "a name occurs twice", pt: "um nome aparece duas vezes" },
  not_a_header_name: {
    en: "a header name has 1 to 64 letters, digits and hyphens",
    pt: "o nome de um cabeçalho tem de 1 a 64 letras, dígitos e hifens",
  },
  forbidden_header: { en: "this header cannot be set", pt: "este cabeçalho não pode ser definido" },
  long_header: { en: "at most {most} characters", pt: "no máximo {most} caracteres" },
  not_visible_ascii: { en: "visible ASCII characters only", pt: "só caracteres ASCII visíveis" },
  other_address: { en: "is not the address of this account", pt: "não é o endereço desta conta" },
  old_deliveries: { en: "deliveries are kept for 7 days", pt: "as entregas são guardadas por 7 dias" },
  bad_link: { en: "is unknown, used up or expired", pt: "é desconhecido, já foi usado ou expirou" },
  bad_password: { en: "must be 10 to 128 characters", pt: "deve ter de 10 a 128 caracteres" },
  text_length: { en: "1..{most}", pt: "1..{most}" },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

export type Problem = keyof typeof PROBLEMS;

/** `most` is the limit that the text shows. */
export function problemText(problem: Problem, language: Language, most?: number): string {
  return PROBLEMS[problem][language].replace("{most}", String(most));
}

export function fieldIssue(field: string, problem: Problem, most?: number): FieldIssue {
  return { field, issue: problemText(problem, "en", most), portuguese: problemText(problem, "pt", most) };
}

export function invalidField(field: string, problem: Problem, most?: number): Failed {
  return fail("validation_error", { issues: [fieldIssue(field, problem, most)] });
}
