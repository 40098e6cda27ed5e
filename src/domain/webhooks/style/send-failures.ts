// Why an accepted message failed later, as both webhook styles report it (codes as in docs/use/apis.md, "Errors").
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";
import { personOf } from "@gateway/protocol/ids.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import { isGroup, digits } from "./values.ts";
import { mediaLink } from "../../media/media-link.ts";

type SendFailureRow = { codigo: string; mensagem: string; message: string };

/** Every other failure is reported as `network_error`. */
const ROWS = {
  temporarily_blocked: {
    codigo: "bloqueio_temporario",
    mensagem: "O WhatsApp bloqueou por um tempo os envios deste número. Pare de enviar e espere.",
    message: "WhatsApp temporarily blocks sends from this number. Stop sending and wait.",
  },
  network_rate_limited: {
    codigo: "limite_do_rede",
    mensagem: "O WhatsApp está limitando os envios deste número. Envie mais devagar.",
    message: "WhatsApp is limiting the rate of this number. Send more slowly.",
  },
  expired: {
    codigo: "prazo_vencido",
    mensagem: "O número não conseguiu enviar a mensagem antes do fim do prazo.",
    message: "The number could not send the message before the end of its time.",
  },
  number_not_on_network: {
    codigo: "numero_sem_conta",
    mensagem: "Este número não tem WhatsApp.",
    message: "This number is not on WhatsApp.",
  },
  forbidden: {
    codigo: "sem_permissao",
    mensagem: "O WhatsApp recusou a mensagem por falta de permissão.",
    message: "WhatsApp rejected the message: permission denied.",
  },
  media_invalid: { codigo: "midia_invalida", mensagem: "O WhatsApp recusou o arquivo.", message: "WhatsApp rejected the file." },
  outside_service_window: {
    codigo: "fora_da_janela",
    mensagem: "A janela de atendimento de 24 horas está fechada.",
    message: "The 24-hour service window is closed.",
  },
  template_invalid: {
    codigo: "modelo_invalido",
    mensagem: "O modelo não existe, não está aprovado ou não corresponde aos parâmetros.",
    message: "The template does not exist, is not approved, or does not match its parameters.",
  },
  limit_of_kind: {
    codigo: "limite_do_tipo",
    mensagem: "A mensagem passa de um limite deste tipo de conexão.",
    message: "The message exceeds a limit of this kind of connection.",
  },
  invalid_number: { codigo: "numero_invalido", mensagem: "O número não é válido.", message: "The number is not valid." },
  not_supported: {
    codigo: "nao_suportado",
    mensagem: "Este tipo de conexão não envia este tipo de mensagem.",
    message: "This type of message is not supported.",
  },
  instance_not_connected: {
    codigo: "conexao_desconectada",
    mensagem: "O número não está conectado.",
    message: "The number is not connected.",
  },
  send_outcome_unknown: {
    codigo: "resultado_incerto",
    mensagem: "A mensagem pode ter sido enviada. Se for confirmada, um novo status avisa.",
    message: "The message may have been sent. If proof arrives, another status follows.",
  },
  unavailable: {
    codigo: "indisponivel",
    mensagem: "A mensagem não foi enviada: o serviço parou antes. Envie de novo.",
    message: "The message was not sent: the service stopped first. Send it again.",
  },
  network_error: {
    codigo: "erro_do_rede",
    mensagem: "O WhatsApp não entregou a mensagem.",
    message: "WhatsApp did not deliver the message.",
  },
} as const satisfies Partial<Record<FailureCode, SendFailureRow>>;

type SendFailureCode = keyof typeof ROWS;

export const ACCOUNT_SEND_FAILURE_CODES = Object.keys(ROWS) as SendFailureCode[];
export const CONNECTION_SEND_FAILURE_CODES = Object.values(ROWS).map(({ codigo }) => codigo);

export function errorOnConnection(failure: Failure | null): { codigo: string; mensagem: string } {
  const { codigo, mensagem } = ROWS[codeOf(failure)];
  return { codigo, mensagem };
}

export function errorOnAccount(failure: Failure | null): { code: FailureCode; message: string } {
  const code = codeOf(failure);
  return { code, message: ROWS[code].message };
}

function codeOf(failure: Failure | null): SendFailureCode {
  return failure !== null && failure.code in ROWS ? (failure.code as SendFailureCode) : "network_error";
}

/** The body or caption, or otherwise a description of the content (docs/use/events.md, "Fields of events"). */
export function textOf(message: MessageRecord): string | null {
  if (message.text !== null) return message.text;
  if (message.poll !== null) return message.poll.question;
  if (message.selected !== null) return message.selected.title;
  if (message.contacts !== null) return message.contacts.map((card) => card.full_name).join(", ");
  if (message.location !== null) {
    const { name, address, latitude, longitude } = message.location;
    return name ?? address ?? `${latitude}, ${longitude}`;
  }
  return message.type === "document" ? (message.media?.filename ?? null) : null;
}

export function mediaUrl(message: MessageRecord, appUrl: string): string | null {
  const token = message.media?.token ?? null;
  return token === null ? null : mediaLink(appUrl, token, message.media?.mimetype ?? "");
}

/** The other person in a one-to-one chat. Null in groups, or if the phone number is unknown. */
export function recipientDigits(chatId: string, recipient: MessageRecord["recipient"]): string | null {
  return isGroup(chatId) ? null : (digits(recipient) ?? digits(personOf(chatId)));
}
