// Why an accepted message failed later, in the form that both webhook styles write (codes as in docs/use/apis.md, "Errors").
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";

type Row = { codigo: string; mensagem: string; message: string };

/** Every other failure is reported as `network_error`. */
const ROWS = {
  temporarily_blocked: {
    codigo: "bloqueio_temporario",
    mensagem: "A rede bloqueou temporariamente os envios deste número. Pare de enviar e aguarde.",
    message: "The network blocked sends from this number for a while. Stop sending and wait.",
  },
  network_rate_limited: {
    codigo: "limite_do_rede",
    mensagem: "A rede está limitando este número. Envie mais devagar.",
    message: "The network is rate-limiting this number. Send more slowly.",
  },
  number_not_on_network: {
    codigo: "numero_sem_conta",
    mensagem: "O número não tem conta na rede.",
    message: "The number has no account on the network.",
  },
  forbidden: {
    codigo: "sem_permissao",
    mensagem: "A rede recusou a mensagem por falta de permissão.",
    message: "The network refused the message for lack of permission.",
  },
  media_invalid: { codigo: "midia_invalida", mensagem: "A rede recusou o arquivo.", message: "The network refused the file." },
  outside_service_window: {
    codigo: "fora_da_janela",
    mensagem: "A janela de atendimento de 24 horas está fechada.",
    message: "The 24-hour service window is closed.",
  },
  template_invalid: {
    codigo: "modelo_invalido",
    mensagem: "O modelo não existe, não está aprovado ou não combina com os parâmetros.",
    message: "The template does not exist, is not approved, or does not fit its parameters.",
  },
  limit_of_kind: {
    codigo: "limite_do_tipo",
    mensagem: "A mensagem passa de um limite deste tipo de conexão.",
    message: "The message is over a limit of this kind of connection.",
  },
  invalid_number: { codigo: "numero_invalido", mensagem: "O número não é válido.", message: "The number is not valid." },
  not_supported: {
    codigo: "nao_suportado",
    mensagem: "Este tipo de mensagem não é oferecido.",
    message: "This type of message is not supported.",
  },
  instance_not_connected: {
    codigo: "conexao_desconectada",
    mensagem: "O número não está conectado à rede.",
    message: "The number is not connected to the network.",
  },
  send_outcome_unknown: {
    codigo: "resultado_incerto",
    mensagem: "Não se sabe se a mensagem saiu. Um status posterior corrige isto.",
    message: "It is not known whether the message left. A later status corrects this.",
  },
  unavailable: {
    codigo: "indisponivel",
    mensagem: "A mensagem não saiu: o serviço parou antes do envio. Envie de novo.",
    message: "The message did not leave: the service stopped before sending it. Send it again.",
  },
  network_error: {
    codigo: "erro_do_rede",
    mensagem: "A rede não entregou a mensagem.",
    message: "The network did not deliver the message.",
  },
} as const satisfies Partial<Record<FailureCode, Row>>;

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
