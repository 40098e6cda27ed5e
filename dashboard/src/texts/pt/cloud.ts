export default {
  fields: {
    phone_number_id: "ID do número (Phone number ID)",
    waba_id: "ID da conta comercial (WABA ID)",
    access_token: "Token de acesso",
    app_secret: "Chave secreta do app (App secret)",
    pin: "PIN da confirmação em duas etapas",
  },
  hints: {
    phone_number_id: "No painel da Meta, em WhatsApp > Configuração da API. Não é o número de telefone.",
    waba_id: "Na mesma página, abaixo do ID do número.",
    access_token: "Use o token de um usuário do sistema, sem data de expiração. O token temporário dura só 24 horas.",
    app_secret: "No painel da Meta, em Configurações do app > Básico.",
    pin: "Tem 6 dígitos. Só é necessário se o número ainda não estiver registrado na Cloud API.",
  },
  digits: "Use só números.",
  sixDigits: "Digite os 6 dígitos.",
  steps: {
    number: "A Meta não liberou o acesso ao número. Confira o ID do número, o token e a chave secreta do app.",
    in_use: "Este número já está em outra conexão.",
    register: "A Meta não registrou o número. Confira o PIN. Depois de muitas tentativas, é preciso esperar.",
    subscribe: "A Meta não inscreveu o app na conta comercial. Confira o ID da conta e as permissões do token.",
    fields:
      "O app não está inscrito no campo messages dos webhooks. Faça a inscrição no painel da Meta, em WhatsApp > Configuração > Webhooks.",
    callback: "A Meta não aceitou a URL deste gateway. Ela precisa estar acessível pela internet via HTTPS.",
  },
  code: (code: number) => `Código da Meta: ${code}.`,
  title: "Número da Cloud API",
  number: "ID do número",
  waba: "ID da conta comercial",
  token: "Token de acesso",
  tokenEnd: (last4: string) => `termina em ${last4}`,
  copyNumber: "Copiar ID do número",
  copyWaba: "Copiar ID da conta comercial",
  change: "Trocar token",
  changeTitle: (name: string) => `Novo token de ${name}`,
  changeText:
    "Antes de salvar, verificamos tudo com a Meta. Por mais 24 horas, também aceitamos mensagens assinadas com a chave secreta anterior.",
  save: "Verificar e salvar",
  changed: "As novas credenciais foram salvas. O número está conectado.",
  reasons: {
    created: {
      happened: "A Meta já verificou as credenciais, mas o número ainda não está conectado.",
      next: "Conecte o número para que a Meta passe a entregar as mensagens aqui.",
    },
    manual: {
      happened:
        "Alguém desligou a conexão, pelo painel ou por outro sistema. As mensagens que chegarem ficam guardadas, e você recebe tudo quando reconectar.",
      next: "Reconecte quando quiser.",
    },
    cloud_token_invalid: {
      happened: "A Meta recusou o token desta conexão: ele expirou, foi revogado ou perdeu permissões. As mensagens continuam chegando.",
      next: "Gere um novo token no painel da Meta e troque-o abaixo.",
    },
  },
};
