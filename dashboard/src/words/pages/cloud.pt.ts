// Words of a number of the Cloud API.
export default {
  fields: {
    phone_number_id: "Id do número (Phone number ID)",
    waba_id: "Id da conta comercial (WABA ID)",
    access_token: "Token de acesso",
    app_secret: "Chave secreta do app (App secret)",
    pin: "PIN de dois fatores",
  },
  hints: {
    phone_number_id: "No painel da Meta: WhatsApp, Configuração da API. Não é o telefone.",
    waba_id: "Na mesma página, abaixo do id do número.",
    access_token: "De um usuário do sistema, sem validade. O token temporário vale 24 horas.",
    app_secret: "No painel da Meta: Configurações do app, Básico.",
    pin: "Só se o número ainda não está registrado na API de nuvem. 6 dígitos.",
  },
  digits: "Só dígitos.",
  sixDigits: "São 6 dígitos.",
  steps: {
    number: "A Meta não deu acesso ao número. Confira o id do número, o token e a chave secreta do app.",
    in_use: "Este número já está em outra conexão.",
    register: "A Meta não registrou o número. Confira o PIN; depois de muitas tentativas é preciso esperar.",
    subscribe: "A Meta não inscreveu o app na conta comercial. Confira o id da conta e as permissões do token.",
    fields: "O app não assina o campo messages dos webhooks. Assine-o no painel da Meta: WhatsApp, Configuração, Webhooks.",
    callback: "A Meta não aceitou o endereço deste gateway. Ele precisa ser alcançável por HTTPS da internet.",
  },
  code: (code: number) => `Código da Meta: ${code}.`,
  title: "Número da API de nuvem",
  number: "Id do número",
  waba: "Id da conta comercial",
  token: "Token de acesso",
  tokenEnd: (last4: string) => `termina em ${last4}`,
  copyNumber: "Copiar o id do número",
  copyWaba: "Copiar o id da conta comercial",
  change: "Trocar o token",
  changeTitle: (name: string) => `Novo token de ${name}`,
  changeText:
    "A Meta confere tudo antes de qualquer coisa ser guardada. Mensagens assinadas com a chave secreta anterior são aceitas por mais 24 horas.",
  save: "Conferir e guardar",
  changed: "Credenciais novas guardadas. O número está conectado.",
  reasons: {
    created: {
      happened: "As credenciais foram conferidas, e o número ainda não foi conectado.",
      next: "Conecte: a Meta passa então a entregar as mensagens aqui.",
    },
    manual: {
      happened: "A conexão foi desligada aqui ou pela API. O que chega é guardado e entregue quando ela for religada.",
      next: "Reconecte quando quiser.",
    },
    cloud_token_invalid: {
      happened: "A Meta recusou o token desta conexão: ele venceu, foi revogado ou perdeu permissões. O que chega continua sendo entregue.",
      next: "Gere um token novo no painel da Meta e troque-o abaixo.",
    },
  },
};
