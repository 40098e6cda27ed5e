// Texts of a number of the Cloud API.
export default {
  fields: {
    phone_number_id: "ID do número (Phone number ID)",
    waba_id: "ID da conta comercial (WABA ID)",
    access_token: "Token de acesso",
    app_secret: "Chave secreta do app (App secret)",
    pin: "PIN de dois fatores",
  },
  hints: {
    phone_number_id: "No painel da Meta: WhatsApp, Configuração da API. Não é o telefone.",
    waba_id: "Na mesma página, abaixo do ID do número.",
    access_token: "De um usuário do sistema, sem data para vencer. O token temporário dura 24 horas.",
    app_secret: "No painel da Meta: Configurações do app, Básico.",
    pin: "Só se o número ainda não está registrado na API de nuvem. 6 dígitos.",
  },
  digits: "Só números.",
  sixDigits: "São 6 dígitos.",
  steps: {
    number: "A Meta não deu acesso ao número. Confira o ID do número, o token e a chave secreta do app.",
    in_use: "Este número já está em outra conexão.",
    register: "A Meta não registrou o número. Confira o PIN. Depois de muitas tentativas, é preciso esperar.",
    subscribe: "A Meta não inscreveu o app na conta comercial. Confira o ID da conta e as permissões do token.",
    fields: "O app não está inscrito no campo messages dos webhooks. Inscreva no painel da Meta: WhatsApp, Configuração, Webhooks.",
    callback: "A Meta não aceitou o endereço deste gateway. Ele precisa estar acessível pela internet com HTTPS.",
  },
  code: (code: number) => `Código da Meta: ${code}.`,
  title: "Número da API de nuvem",
  number: "ID do número",
  waba: "ID da conta comercial",
  token: "Token de acesso",
  tokenEnd: (last4: string) => `termina em ${last4}`,
  copyNumber: "Copiar o ID do número",
  copyWaba: "Copiar o ID da conta comercial",
  change: "Trocar o token",
  changeTitle: (name: string) => `Novo token de ${name}`,
  changeText: "A Meta confere tudo antes de salvar. Mensagens assinadas com a chave secreta anterior são aceitas por mais 24 horas.",
  save: "Conferir e salvar",
  changed: "Credenciais novas salvas. O número está conectado.",
  reasons: {
    created: {
      happened: "As credenciais foram conferidas, mas o número ainda não foi conectado.",
      next: "Conecte, e a Meta passa a entregar as mensagens aqui.",
    },
    manual: {
      happened: "Alguém desligou a conexão, aqui ou pela API. O que chega fica guardado e é entregue quando ela for religada.",
      next: "Reconecte quando quiser.",
    },
    cloud_token_invalid: {
      happened: "A Meta recusou o token desta conexão: ele venceu, foi revogado ou perdeu permissões. O que chega continua sendo entregue.",
      next: "Gere um token novo no painel da Meta e troque abaixo.",
    },
  },
};
