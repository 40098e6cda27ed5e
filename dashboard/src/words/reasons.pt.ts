// What each `status_reason` means: a short name, what happened, what to do next.
import type { StatusReason } from "@gateway/domain/instance/state.ts";

export type ReasonText = { short: string; happened: string; next: string };

const pt: Record<StatusReason, ReasonText> = {
  created: {
    short: "nova",
    happened: "Esta conexão ainda não tem um número.",
    next: "Pareie um celular: leia o QR code ou digite o código.",
  },
  manual: {
    short: "desligada por alguém",
    happened: "A conexão foi desligada aqui ou pela API. O celular continua pareado.",
    next: "Reconecte quando quiser: não é preciso parear de novo.",
  },
  logged_out: {
    short: "saiu pelo telefone",
    happened: "O aparelho foi removido no celular, em Aparelhos conectados, ou a sessão foi encerrada aqui.",
    next: "Pareie de novo com o QR code ou com o código.",
  },
  qr_timeout: {
    short: "QR não foi lido",
    happened: "Todos os QR codes venceram sem que um celular os lesse.",
    next: "Deixe o celular à mão, com o WhatsApp aberto, e gere um novo QR code.",
  },
  passkey_timeout: {
    short: "chave não foi usada",
    happened: "A chave de acesso (passkey) da conta não foi confirmada a tempo, e nada foi conectado.",
    next: "Tenha à mão quem tem a chave e pareie de novo. Desligar a chave no celular, onde a conta permite, é o caminho mais simples.",
  },
  replaced: {
    short: "aberta em outro lugar",
    happened: "A mesma sessão foi aberta em outro lugar, e a rede manteve aquela.",
    next: "Desligue a outra e reconecte aqui. As duas ao mesmo tempo não funcionam.",
  },
  account_suspended: {
    short: "conta suspensa",
    happened: "A conta do dono está suspensa ou sem assinatura ativa: as sessões dele foram encerradas.",
    next: "O dono precisa regularizar a conta. Depois disso a conexão volta sozinha.",
  },
  starting: {
    short: "iniciando",
    happened: "A sessão está sendo aberta.",
    next: "Espere alguns segundos.",
  },
  resuming: {
    short: "retomando",
    happened: "A sessão que já estava pareada está sendo retomada.",
    next: "Espere alguns segundos: não é preciso parear de novo.",
  },
  pairing: {
    short: "pareando",
    happened: "O celular leu o código e está concluindo o pareamento.",
    next: "Deixe o celular aberto e com internet até terminar.",
  },
  reconnecting: {
    short: "reconectando",
    happened: "A ligação com a rede caiu, e o gateway tenta de novo sozinho.",
    next: "Espere. Se demorar, veja se o celular tem internet.",
  },
  moving: {
    short: "mudando de servidor",
    happened: "A sessão está passando para outro servidor do gateway.",
    next: "Espere alguns segundos: nada se perde.",
  },
  passkey_wanted: {
    short: "pede chave de acesso",
    happened: "O celular leu o código, e a conta pede agora a confirmação com a chave de acesso (passkey) dela.",
    next: "Quem tem a chave a confirma em web.whatsapp.com, em cinco minutos, e o resultado é entregue pela API: nenhuma outra página pode pedi-la. Peça ajuda ao administrador.",
  },
  waiting_scan: {
    short: "mostre ao celular",
    happened: "Há um QR code à espera de ser lido.",
    next: "No celular: Aparelhos conectados, Conectar um aparelho, e aponte a câmera.",
  },
  pairing_code_issued: {
    short: "código emitido",
    happened: "Há um código de pareamento à espera de ser digitado.",
    next: "No celular, toque na notificação ou em Conectar com número de telefone, e digite o código.",
  },
  ok: {
    short: "",
    happened: "O número está na rede e pode enviar e receber.",
    next: "Nada a fazer.",
  },
  syncing: {
    short: "sincronizando",
    happened: "O número está na rede; o histórico do celular ainda está chegando.",
    next: "Já dá para enviar. Deixe o celular com internet até terminar.",
  },
  restricted: {
    short: "com restrição",
    happened: "A rede restringiu este número por um tempo, por exemplo para iniciar conversas novas.",
    next: "Não insista: responda só a quem escreve e espere o fim da restrição.",
  },
  banned: {
    short: "número banido",
    happened: "A rede baniu este número. O gateway não tenta mais.",
    next: "Peça uma revisão no WhatsApp do celular. Se for aceita, pareie de novo.",
  },
  locked: {
    short: "número bloqueado",
    happened: "A rede bloqueou este número, ou o celular dele foi desligado da conta.",
    next: "Abra o WhatsApp no celular e faça o que ele pede. Depois reconecte aqui; se for recusado, pareie de novo.",
  },
  temporarily_banned: {
    short: "banido por um tempo",
    happened: "A rede baniu este número por um tempo.",
    next: "Pare o que causou o banimento. Se o fim é conhecido, o número se conecta sozinho; senão, veja no celular até quando dura e reconecte depois disso.",
  },
  bad_session: {
    short: "sessão inválida",
    happened: "A rede recusou a sessão guardada.",
    next: "Encerre a sessão e pareie de novo.",
  },
  reconnect_exhausted: {
    short: "desistiu de reconectar",
    happened: "O gateway tentou reconectar muitas vezes, sem sucesso.",
    next: "Veja se o celular tem internet e está em dia, e reconecte.",
  },
  proxy_error: {
    short: "proxy com falha",
    happened: "O proxy desta conexão recusou ou não respondeu.",
    next: "Peça ao administrador que confira ou troque o proxy. Depois reconecte.",
  },
  waiting_for_update: {
    short: "esperando atualização",
    happened: "A rede não aceita mais a versão do gateway. Não há nada de errado com este número.",
    next: "Nada a fazer: o número volta sozinho quando o administrador definir a versão nova.",
  },
  client_outdated: {
    short: "versão antiga",
    happened: "A rede não aceita mais a versão de cliente que o gateway usa.",
    next: "O administrador precisa atualizar o gateway. Depois reconecte.",
  },
  multidevice_mismatch: {
    short: "aparelhos não conferem",
    happened: "A rede respondeu que os aparelhos deste número não conferem.",
    next: "No celular, atualize o WhatsApp, remova este aparelho e pareie de novo.",
  },
  cloud_token_invalid: {
    short: "credencial recusada",
    happened: "A API de nuvem recusou a credencial desta conexão.",
    next: "Gere uma credencial nova no provedor e informe-a aqui.",
  },
  passkey_unsupported: {
    short: "pede chave de acesso",
    happened:
      "A conta do celular exige uma chave de acesso (passkey) para novos aparelhos, o que este gateway não está configurado para oferecer.",
    next: "Se a conta ainda permitir, desligue a chave de acesso nas configurações dela e pareie de novo. Senão, peça ao administrador que ligue a confirmação por chave de acesso.",
  },
  internal: {
    short: "erro interno",
    happened: "O gateway parou esta sessão por um erro seu.",
    next: "Reconecte. Se voltar a acontecer, avise o suporte com o id da conexão.",
  },
};
export default pt;
