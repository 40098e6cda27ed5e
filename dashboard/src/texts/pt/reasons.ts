import type { StatusReason } from "@gateway/domain/instance/state.ts";

export type ReasonText = { short: string; happened: string; next: string };

const pt: Record<StatusReason, ReasonText> = {
  created: {
    short: "nova",
    happened: "Esta conexão ainda não tem um número.",
    next: "Pareie um celular: leia o QR code ou digite o código.",
  },
  manual: {
    short: "desligada manualmente",
    happened: "Alguém desligou a conexão, pelo painel ou por outro sistema. O celular continua pareado.",
    next: "Reconecte quando quiser. Não precisa parear de novo.",
  },
  logged_out: {
    short: "sessão encerrada",
    happened: "O dispositivo foi removido no celular, em Dispositivos conectados, ou a sessão foi encerrada aqui.",
    next: "Pareie de novo, com um QR code ou um código de pareamento.",
  },
  qr_timeout: {
    short: "QR code não lido",
    happened: "Os QR codes expiraram antes de serem lidos.",
    next: "Deixe o celular à mão, com o WhatsApp aberto, e gere um novo QR code.",
  },
  passkey_timeout: {
    short: "faltou a chave de acesso",
    happened: "Ninguém confirmou a chave de acesso da conta a tempo, por isso nada foi conectado.",
    next: "Combine com quem tem a chave de acesso e pareie de novo. Se a conta permitir, o mais simples é desativar a chave de acesso no celular.",
  },
  replaced: {
    short: "aberta em outro lugar",
    happened: "Esta sessão foi aberta em outro lugar, por isso o WhatsApp encerrou a daqui.",
    next: "Feche a outra sessão e reconecte aqui. Só uma pode ficar aberta por vez.",
  },
  account_suspended: {
    short: "conta suspensa",
    happened: "A conta do dono está suspensa ou sem assinatura ativa, por isso encerramos as sessões.",
    next: "O dono precisa regularizar a conta. Depois disso, a conexão volta automaticamente.",
  },
  starting: {
    short: "iniciando",
    happened: "Estamos abrindo a sessão.",
    next: "Espere alguns segundos.",
  },
  resuming: {
    short: "retomando",
    happened: "Estamos retomando a sessão que já estava pareada.",
    next: "Espere alguns segundos. Não precisa parear de novo.",
  },
  pairing: {
    short: "pareando",
    happened: "O celular leu o código e está terminando o pareamento.",
    next: "Deixe o WhatsApp aberto e o celular com internet até terminar.",
  },
  reconnecting: {
    short: "reconectando",
    happened: "A conexão com o WhatsApp caiu. Estamos tentando de novo.",
    next: "Espere um pouco. Se demorar, veja se o celular tem internet.",
  },
  moving: {
    short: "mudando de servidor",
    happened: "Estamos mudando a sua sessão de servidor.",
    next: "Espere alguns segundos. Nada se perde.",
  },
  passkey_wanted: {
    short: "pede chave de acesso",
    happened: "O celular leu o código, e agora o WhatsApp pede a chave de acesso da conta.",
    next: "Quem tem a chave de acesso precisa confirmá-la em web.whatsapp.com em até cinco minutos; em outras páginas, a confirmação não funciona. O sistema que você conectou a este número nos envia o resultado em seguida. Se precisar, peça ajuda ao administrador.",
  },
  waiting_scan: {
    short: "QR code pronto",
    happened: "O QR code está pronto. Agora é só ler com o celular.",
    next: "No celular, abra Dispositivos conectados, toque em Conectar dispositivo e aponte a câmera para o código.",
  },
  pairing_code_issued: {
    short: "código gerado",
    happened: "O código de pareamento está pronto para digitar no celular.",
    next: "No celular, toque na notificação ou em Conectar com número de telefone e digite o código.",
  },
  ok: {
    short: "",
    happened: "O número está conectado e pode enviar e receber mensagens.",
    next: "Não precisa fazer nada.",
  },
  syncing: {
    short: "sincronizando",
    happened: "O número está conectado. O histórico do celular ainda está chegando.",
    next: "Você já pode enviar mensagens. Deixe o celular com internet até terminar.",
  },
  restricted: {
    short: "com restrição",
    happened: "O WhatsApp restringiu este número por um tempo. Ele não pode, por exemplo, iniciar novas conversas.",
    next: "Não insista: responda só a quem escrever e espere a restrição acabar.",
  },
  banned: {
    short: "número banido",
    happened: "O WhatsApp baniu este número. Paramos de tentar reconectar.",
    next: "Peça uma revisão no WhatsApp do celular. Se ela for aceita, pareie de novo.",
  },
  locked: {
    short: "número bloqueado",
    happened: "O WhatsApp bloqueou este número, ou a conta foi desconectada no WhatsApp do celular.",
    next: "Abra o WhatsApp no celular e faça o que ele pede. Depois, reconecte aqui. Se não funcionar, pareie de novo.",
  },
  temporarily_banned: {
    short: "banido por um tempo",
    happened: "O WhatsApp baniu este número temporariamente.",
    next: "Pare de fazer o que causou o banimento. Se a data de término aparecer aqui, o número se reconecta automaticamente depois dela. Se não, veja no celular quanto tempo falta e reconecte depois.",
  },
  bad_session: {
    short: "sessão inválida",
    happened: "O WhatsApp não aceita mais a sessão deste número.",
    next: "Encerre a sessão e pareie de novo.",
  },
  reconnect_exhausted: {
    short: "reconexão sem sucesso",
    happened: "Tentamos reconectar muitas vezes, sem sucesso.",
    next: "Veja se o celular tem internet e se o WhatsApp está atualizado, e reconecte.",
  },
  proxy_error: {
    short: "proxy com falha",
    happened: "O proxy desta conexão recusou o acesso ou não respondeu.",
    next: "Peça ao administrador para conferir ou trocar o proxy. Depois, reconecte.",
  },
  waiting_for_update: {
    short: "aguardando atualização",
    happened: "O WhatsApp não aceita mais a versão que usamos. Não há nada de errado com este número.",
    next: "Não precisa fazer nada: o número se reconecta automaticamente quando o administrador configurar a nova versão do WhatsApp.",
  },
  client_outdated: {
    short: "versão antiga",
    happened: "O WhatsApp não aceita mais a versão que usamos.",
    next: "O administrador precisa atualizar o gateway. Depois, reconecte.",
  },
  multidevice_mismatch: {
    short: "celular incompatível",
    happened: "O WhatsApp deste celular não é compatível com esta conexão.",
    next: "No celular, atualize o WhatsApp, remova este dispositivo e pareie de novo.",
  },
  cloud_token_invalid: {
    short: "token recusado",
    happened: "A Cloud API recusou o token desta conexão.",
    next: "Gere um novo token no painel da Meta e troque-o aqui.",
  },
  passkey_unsupported: {
    short: "pede chave de acesso",
    happened: "A conta do WhatsApp exige uma chave de acesso para novos dispositivos, e este gateway não está preparado para isso.",
    next: "Se a conta permitir, desative a chave de acesso nas configurações do WhatsApp e pareie de novo. Se não, peça ao administrador para ativar a confirmação por chave de acesso.",
  },
  internal: {
    short: "erro interno",
    happened: "Esta sessão parou por um erro nosso.",
    next: "Reconecte. Se acontecer de novo, avise o suporte e informe o ID da conexão.",
  },
};
export default pt;
