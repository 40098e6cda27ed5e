// Why a message that was accepted before failed after all, in the words of both dialects (docs/apis.md, "Errors").
import type { Failure, FailureCode } from "../../../protocol/failures.ts";

type Words = { codigo: string; mensagem: string; message: string };

const OTHER: Words = {
  codigo: "erro_do_rede",
  mensagem: "A rede não entregou a mensagem.",
  message: "The network did not deliver the message.",
};

/** A code that is missing here is told as `network_error`: the network gives no more than these. */
const WORDS: Partial<Record<FailureCode, Words>> = {
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
};

/** For the Connection API, in Portuguese. */
export function errorOnConnection(failure: Failure | null): { codigo: string; mensagem: string } {
  const { codigo, mensagem } = (failure === null ? undefined : WORDS[failure.code]) ?? OTHER;
  return { codigo, mensagem };
}

/** For the Account API. */
export function errorOnAccount(failure: Failure | null): { code: FailureCode; message: string } {
  const words = failure === null ? undefined : WORDS[failure.code];
  return words === undefined || failure === null
    ? { code: "network_error", message: OTHER.message }
    : { code: failure.code, message: words.message };
}
