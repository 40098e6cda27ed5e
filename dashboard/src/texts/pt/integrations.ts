import type { ConnectionEventGroup } from "@gateway/domain/webhooks/connection-events.ts";
import type { Problem, Step } from "../../domain/verify.ts";

const groups: Record<ConnectionEventGroup, string> = {
  messages: "Mensagens",
  number: "Número e ligações",
  groups: "Grupos",
  labels: "Etiquetas",
};

const steps: Record<Step, string> = {
  headers: "Cabeçalhos",
  time: "Horário",
  secret: "Chave secreta",
  signature: "Assinatura digital",
  match: "Corpo e assinatura",
};

const passed: Record<Step, string> = {
  headers: "os três cabeçalhos estão presentes e correspondem a este corpo",
  time: "a entrega foi assinada há menos de 5 minutos",
  secret: "whsec_ seguido de 32 bytes em base64",
  signature: "v1 com 32 bytes em base64",
  match: "a assinatura corresponde a este corpo e a esta chave secreta",
};

type Sentences = { [P in Problem as P["code"]]: (problem: P) => string };

const age = (seconds: number) => {
  const unit = seconds >= 172_800 ? "day" : seconds >= 7_200 ? "hour" : "minute";
  const value = Math.floor(seconds / { day: 86_400, hour: 3_600, minute: 60 }[unit]);
  return new Intl.NumberFormat("pt-BR", { style: "unit", unit, unitDisplay: "long" }).format(value);
};

const problems: Sentences = {
  header_missing: ({ header }) => `Falta o cabeçalho ${header}.`,
  other_delivery: ({ header, body }) =>
    `Os cabeçalhos e o corpo são de entregas diferentes: o webhook-id é ${header}, e o ID no corpo é ${body}.`,
  time_unreadable: ({ given }) => `O webhook-timestamp não é um timestamp Unix em segundos: “${given}”.`,
  time_in_milliseconds: () =>
    "O webhook-timestamp já vem em segundos. Use o valor do cabeçalho como chegou, sem converter para milissegundos.",
  too_old: ({ seconds }) =>
    `A entrega foi assinada há ${age(seconds)}. Seu servidor deve recusar entregas assinadas há mais de 5 minutos. Se você só está conferindo uma entrega antiga, isso é normal.`,
  in_the_future: ({ seconds }) =>
    `O horário da entrega está ${age(seconds)} adiantado em relação ao relógio deste computador. Acerte o relógio.`,
  secret_empty: () => "Falta a chave secreta. Ela só aparece quando você cria o webhook ou troca a chave.",
  secret_is_key: () => "Isto é uma chave de API. As entregas são assinadas com a chave secreta do webhook, que começa com whsec_.",
  secret_is_signature: () => "Isto é uma assinatura, não a chave secreta. A chave secreta começa com whsec_.",
  secret_with_version: ({ correct }) =>
    correct
      ? "Remova o “v1,” antes de whsec_. Sem ele, a assinatura confere."
      : "Remova o “v1,” antes de whsec_. Esse prefixo é das assinaturas, não da chave secreta.",
  secret_with_blanks: ({ correct }) =>
    correct
      ? "A chave secreta tem aspas, espaços ou uma quebra de linha a mais. Sem isso, a assinatura confere."
      : "A chave secreta tem aspas, espaços ou uma quebra de linha a mais.",
  secret_without_prefix: () => "Falta o prefixo: a chave secreta é whsec_ seguido de um texto em base64.",
  secret_not_base64: () => "O texto depois de whsec_ não é um base64 válido: a chave secreta está incompleta ou foi alterada.",
  secret_length: ({ bytes }) => `Depois de whsec_ há ${bytes} bytes em vez de 32: a chave secreta foi cortada ou é de outro serviço.`,
  signature_without_version: () => "O webhook-signature não traz nenhuma assinatura “v1,…”: o cabeçalho foi cortado ou alterado.",
  signature_in_hex: () =>
    "A assinatura está em hexadecimal. Use o valor do cabeçalho exatamente como chegou: “v1,” seguido da assinatura em base64.",
  signature_not_base64: () => "O que vem depois de “v1,” não é base64: a assinatura foi cortada ou alterada.",
  signature_length: ({ bytes }) => `A assinatura tem ${bytes} bytes em vez de 32: ela foi cortada.`,
  body_empty: () => "Falta o corpo. Se ele chega vazio ao seu código, outra parte do servidor já o leu: guarde os bytes como chegaram.",
  body_formatted: () =>
    "O JSON é o mesmo, mas foi reformatado (espaços, quebras de linha ou escapes). Use os bytes como chegaram, antes de interpretar o JSON.",
  body_line_break: () => "As quebras de linha do corpo foram alteradas. Use os bytes como chegaram.",
  body_blanks: () => "Há espaços ou uma quebra de linha a mais no começo ou no fim do corpo. Sem isso, a assinatura confere.",
  body_not_json: () => "O corpo não é um JSON completo: ele foi cortado ou alterado no caminho.",
  body_character: ({ position, given, signed }) =>
    `Um caractere do corpo foi alterado: na posição ${position} há “${given}”, mas o corpo assinado tinha “${signed}”.`,
  body_or_secret: () =>
    "A chave secreta não é desta conexão, ou o corpo da requisição foi alterado. Cada conexão tem sua própria chave. Se você trocou a chave, a anterior continua valendo por 24 horas.",
};

const errors: Record<string, (milliseconds: number) => string> = {
  timeout: (ms) => `Sem resposta em ${Math.round(ms / 1_000)} segundos. Responda primeiro e processe depois.`,
  connection_failed: () => "Não foi possível conectar. Confira o DNS, o certificado TLS e se a porta está aberta para a internet.",
  redirect: () => "O destino respondeu com um redirecionamento, e o gateway não segue redirecionamentos. Use a URL final.",
  not_2xx: () => "O destino respondeu com um erro. A entrega só é aceita com uma resposta de sucesso.",
  url_not_allowed: () => "Esta URL não é permitida. Use uma URL https pública.",
};

export default {
  title: "Integrações",
  keys: {
    title: "API",
    about: "Chaves para o seu sistema usar a API deste número.",
    documents: "Documentação da API",
    tools: "SDKs e ferramentas",
    generate: "Gerar chave",
    none: "Nenhuma chave ainda",
    noneText:
      "Com uma chave, seu sistema envia mensagens por este número, como no exemplo abaixo. Quando você gerar a chave, o exemplo já vem preenchido com ela.",
    guest: "Só o dono vê e gera chaves",
    guestText:
      "Quem tem uma chave usa o número sem entrar no painel. Por isso, convidados não veem as chaves. Se precisar de uma, fale com o dono.",
    unpaid: "Sem uma assinatura ativa, as chaves continuam aqui, mas todas as requisições são recusadas.",
    full: (name: string, lastUse: string) =>
      `Esta conexão já tem 3 chaves, que é o máximo. Revogue uma para gerar outra: a menos usada é “${name}” (${lastUse}).`,
    name: "Nome da chave",
    nameHint: "Um nome fácil de reconhecer depois, como o do sistema que usa a chave.",
    made: (name: string) => `Chave “${name}” gerada`,
    lostValue: "Esta chave já foi gerada, e o valor não pode ser mostrado de novo. Revogue-a e gere outra.",
    tryIt: "Experimente agora",
    to: "Número de destino",
    toHint: "Só números, com código do país e DDD.",
    example: "Olá! Esta é a primeira mensagem do meu sistema.",
    created: "criada",
    used: "usada",
    neverUsed: "nunca usada",
    rotate: "Trocar",
    rotateLabel: (name: string) => `Trocar a chave ${name}`,
    revoke: "Revogar",
    revokeLabel: (name: string) => `Revogar a chave ${name}`,
    revokeTitle: (name: string) => `Revogar “${name}”?`,
    revokeLost: "A próxima requisição com esta chave já será recusada. Esta ação não pode ser desfeita.",
    revokeUsed: (lastUse: string) => `Esta chave foi ${lastUse}. O sistema que a usa perde o acesso.`,
    revokeUnused: "A chave nunca foi usada, então nenhum sistema deve ser afetado.",
    revoked: (name: string) => `“${name}” foi revogada.`,
    revokeAction: "Revogar chave",
  },
  limits: {
    edit: "Limites",
    editOf: (name: string) => `Limites da chave ${name}`,
    title: (name: string) => `Limites de “${name}”`,
    scopes: "O que a chave pode fazer",
    scope: {
      read: { label: "Ler", hint: "Mensagens, conversas, contatos e grupos." },
      send: { label: "Enviar", hint: "Enviar mensagens e usar os outros recursos do número." },
      manage: { label: "Conectar e desconectar", hint: "Também permite ver o QR code para parear um celular." },
      admin: { label: "Administrar o serviço", hint: "Só para chaves da conta." },
    },
    addresses: "Endereços IP permitidos",
    addressesHint: (most: number) =>
      `Um endereço ou bloco por linha, por exemplo 203.0.113.0/24; no máximo ${most}. Deixe em branco para aceitar qualquer endereço.`,
    noAddress: (text: string) => `“${text}” não é um endereço IPv4 ou IPv6, nem um bloco como 203.0.113.0/24.`,
    from: (addresses: string) => `IPs permitidos: ${addresses}`,
    refused: (address: string) => `requisição de ${address} recusada`,
    save: "Salvar",
    saved: (name: string) => `“${name}” foi alterada. Os limites já valem.`,
  },
  assistant: {
    title: "Assistentes (MCP)",
    about: "Estas regras só valem para o endereço /mcp. Com esta chave, um assistente pode fazer até 30 alterações por hora.",
    confirm: "Exigir confirmação de uma pessoa",
    confirmations: {
      always: "Sempre",
      new_chats: "Só em conversas em que a outra pessoa nunca escreveu",
      never: "Nunca",
    },
    recipients: "Pode escrever para",
    recipientKinds: {
      replies: "Quem escreveu nas últimas 24 horas",
      list: "Só quem estiver na lista",
      any: "Qualquer pessoa",
    },
    listed: "Telefones e grupos",
    listedHint: (most: number) => `Um por linha: telefone com código do país ou o ID do grupo (…@g.us); no máximo ${most}.`,
    noRecipient: (text: string) => `“${text}” não é um telefone com código do país nem o ID de um grupo.`,
    tooMany: (most: number) => `No máximo ${most}.`,
    callOperation: "Qualquer operação da API",
    callOperationHint:
      "Inclui criar grupos e mudar o perfil. Para permitir alterações, escolha também “Qualquer pessoa” em “Pode escrever para”.",
  },
  confirmation: {
    title: "Um assistente pede sua confirmação",
    asks: (key: string) => `O assistente que usa a chave “${key}” está pedindo a sua confirmação.`,
    tools: {
      send_text: "Enviar um texto",
      send_media: "Enviar um arquivo",
      send_poll: "Enviar uma enquete",
      edit_message: "Editar uma mensagem enviada",
      delete_message: "Apagar uma mensagem",
      call_operation: "Executar uma operação da API",
    },
    to: "Para",
    arguments: {
      text: "Texto",
      kind: "Tipo",
      url: "URL do arquivo",
      caption: "Legenda",
      filename: "Nome do arquivo",
      question: "Pergunta",
      options: "Opções",
      selectable_count: "Quantas opções cada pessoa pode marcar",
      message_id: "Mensagem",
      for_everyone: "Apagar para todos",
      operation: "Operação",
      parameters: "Parâmetros",
      body: "Corpo",
    },
    words: {
      image: "imagem",
      video: "vídeo",
      audio: "áudio",
      voice: "mensagem de voz",
      document: "documento",
      true: "sim",
      false: "não",
    },
    warning: "Confirme só se foi você quem pediu isso ao assistente.",
    expires: "A solicitação expira",
    accept: "Confirmar",
    decline: "Recusar",
    accepted: { title: "Você confirmou", text: "Volte ao assistente e peça para ele continuar. A confirmação vale por 10 minutos." },
    declined: { title: "Solicitação recusada", text: "Nada foi enviado. O assistente será avisado quando tentar de novo." },
    none: "Esta solicitação não existe mais",
    noneText: "Cada solicitação vale por 10 minutos. Se ainda quiser continuar, peça de novo ao assistente.",
  },
  rotation: {
    title: (name: string) => `Trocar “${name}” sem interrupção`,
    second: "1. Gere a segunda chave",
    secondText: "As duas chaves valem ao mesmo tempo, então nada deixa de funcionar.",
    secondName: (name: string) => `${name} (nova)`,
    noRoom: "Você já tem 3 chaves ativas, que é o limite. Antes, revogue uma que você não usa.",
    move: "2. Use a chave nova no seu sistema",
    moveText: "Coloque a chave nova na configuração do seu sistema e reinicie o que for preciso.",
    check: "Conferir uso",
    newKey: "Chave nova",
    oldKey: "Chave antiga",
    waiting: "A chave nova ainda não foi usada.",
    both: "A chave antiga foi usada depois da nova: algum sistema ainda não foi atualizado.",
    moved: "A chave nova está em uso, e a antiga não foi mais usada desde então.",
    revoke: "3. Revogue a chave antiga",
    later: "Continuar depois",
    gone: "A chave antiga não existe mais. A troca está concluída.",
  },
  webhook: {
    title: "Webhook",
    about: "Enviamos os eventos deste número para o seu servidor via POST.",
    none: "Nenhum webhook ainda. Informe a URL do seu servidor e escolha os eventos.",
    noServer: "Ainda não tem servidor?",
    events: "Ver eventos ao vivo",
    guest: "Só o dono da conexão pode alterar o webhook.",
    url: "URL de destino",
    checks: {
      https: "https",
      httpsWrong: "A URL precisa começar com https://",
      public: "pública",
      publicWrong: {
        own: "Este endereço é do próprio serviço",
        not_public: "Este endereço é local ou interno, sem acesso pela internet",
        credentials:
          "Tire o usuário e a senha da URL. Para proteger o endereço, use um código secreto na URL ou valide a assinatura digital",
        characters: "A URL tem espaços ou caracteres não permitidos",
        unreadable: "A URL não está completa",
        too_long: "Longa demais: use no máximo 2.048 caracteres",
      },
      sandbox: "endereços http:// desta máquina só funcionam na sandbox",
      listed: "Endereço liberado por quem opera este gateway",
      final: "use a URL final, porque não seguimos redirecionamentos",
    },
    eventsTitle: "Eventos",
    allOf: (group: string, ticked: number, all: number) => `${group} (${ticked} de ${all})`,
    new: "novo",
    newText: "Há novos eventos desde a última vez que você salvou. Marque os que quer receber e salve.",
    eachEvent: (group: string) => `Ver cada evento de ${group}`,
    noEvents: "Marque pelo menos um evento.",
    create: "Criar webhook",
    save: "Salvar",
    saved: "Webhook salvo.",
    unchanged: "Nada mudou.",
    made: "Webhook criado",
    secretTitle: "Chave secreta do webhook",
    secretHow:
      "Com esta chave secreta, seu servidor confirma que cada entrega veio mesmo daqui. O código está mais abaixo, em “Conferir uma entrega”.",
    lostSecret: "Esta chave secreta já foi mostrada e não aparece de novo. Se você não guardou, troque por uma nova.",
    status: "Status",
    active: "ativo",
    failing: "falhando",
    disabled: "desativado",
    lastSuccess: "Última entrega aceita",
    createdAt: "Criado",
    failingText: "As entregas estão falhando. Primeira falha:",
    disablesAt: (left: string) => `Se continuar assim, o webhook será desativado em ${left}.`,
    disabledWhy: "Nenhuma entrega foi aceita em 72 horas, e o webhook foi desativado",
    disabledNext: "Depois de reativar, você pode reenviar as entregas que não foram aceitas.",
    disabledSteps: ["Corrija o problema no seu servidor.", "Envie testes até um ser aceito.", "Reative o webhook."],
    reactivate: "Reativar",
    reactivateWhy: "Antes, envie um teste. Quando o destino aceitar, você pode reativar.",
    reactivated: "Webhook reativado.",
    resend: "Reenviar o que falhou",
    test: "Enviar teste",
    testing: "Enviando…",
    testTitle: "Resultado do teste",
    testPassed: "Aceito",
    testFailed: "Não foi aceito",
    milliseconds: (ms: number) => `${ms} ms`,
    sent: "O que enviamos",
    answered: "Resposta do destino",
    errors,
    rotate: "Trocar chave secreta",
    rotateTitle: "Trocar a chave secreta?",
    rotateText:
      "A chave nova passa a valer na hora. A anterior continua válida por 24 horas, para você atualizar seu servidor sem perder nada.",
    rotateAction: "Trocar",
    rotated: "Nova chave secreta",
    rotatedHow: "Configure a chave nova no seu servidor nas próximas 24 horas. Até lá, as duas valem.",
    overlap: (left: string) => `A chave secreta anterior continua válida por mais ${left}.`,
    delete: "Apagar",
    deleteTitle: "Apagar o webhook?",
    deleteLost:
      "Seu servidor para de receber eventos, e você perde o histórico e as entregas pendentes. Se você criar outro webhook, a chave secreta será outra.",
    deleteAction: "Apagar webhook",
    deleted: "Webhook apagado.",
    deliveries: "Ver entregas",
    groups,
  },
  verifier: {
    open: "Conferir agora",
    title: "Conferir uma entrega",
    about:
      "Por que a assinatura digital não confere? Cole uma entrega para descobrir. Nada sai desta página, e a chave secreta não é salva.",
    headers: "Cabeçalhos",
    headersHint: "Copie do log do seu servidor: webhook-id, webhook-timestamp e webhook-signature.",
    body: "Corpo",
    bodyHint: "Cole o corpo como chegou, sem formatar.",
    secret: "Chave secreta",
    secretHint: "Começa com whsec_. Só aparece quando você cria o webhook ou troca a chave.",
    check: "Conferir",
    verdicts: {
      genuine: "Autêntica: a entrega veio deste webhook e não foi alterada.",
      old: "Assinatura válida, mas antiga demais para ser aceita agora.",
      refused: "A entrega não confere.",
    },
    rotating: (place: number, count: number) => `O cabeçalho traz ${count} assinaturas. A ${place}ª corresponde a esta chave secreta.`,
    steps,
    passed,
    skipped: "resolva antes os itens acima",
    stateOf: { passed: "certo", failed: "errado", skipped: "não conferido" },
    problems,
    code: "Como fazer a mesma verificação no seu servidor",
  },
  commandLine: {
    title: "Login pela linha de comando",
    none: "Abra esta página com o comando “gateway login”",
    noneText: "Cada vez que você roda o comando, ele mostra um link diferente. Rode de novo e abra o link que aparecer.",
    asks: (host: string) => `O comando gateway, no computador ${host}, está pedindo uma chave`,
    code: "Confirme só se o terminal mostrar o mesmo código:",
    connection: "Conexão",
    what: (name: string) =>
      `Vamos gerar a chave “${name}”. Quem usar a sua conta nesse computador poderá enviar mensagens com a chave até você revogá-la.`,
    confirm: "Gerar chave",
    lost: "Esta chave já foi gerada, e o valor não pode ser mostrado de novo. Revogue-a e rode “gateway login” outra vez.",
    noConnection: "Você ainda não é dono de nenhuma conexão",
    noConnectionText: "Só o dono de uma conexão pode gerar chaves para ela.",
  },
};
