import type { CheckName } from "@gateway/domain/fleet/self-check.ts";
import type { FaultKind } from "@gateway/domain/fleet/faults.ts";
import type { StatusReason } from "@gateway/domain/instance/state.ts";

const number = (count: number) => count.toLocaleString("pt-BR");

const STOP_CHATS = "Por enquanto, evite que esses números iniciem conversas. Veja o que eles têm em comum.";
const NEWER = "Verifique se há uma versão mais nova do gateway.";

/** `title` is the problem. `todo` is the action to take. */
export type Advice = { title: string; todo: string };

export default {
  title: "Situação",
  fine: "Tudo funcionando",
  problems: (count: number) => (count === 1 ? "1 problema" : `${number(count)} problemas`),
  checked: "Verificado",
  list: "Problemas atuais",
  todo: "O que fazer:",
  none: "Nenhum problema agora",
  noneText: "Problemas da instalação, de números, de webhooks e de proxies aparecem aqui. A página se atualiza a cada 30 segundos.",
  noneOfKind: "Nenhum problema deste tipo",
  kind: "Tipo de problema",
  kinds: {
    check: "Instalação",
    alarm: "Alarmes",
    shard: "Grupos de bridges",
    proxy: "Proxies",
    number: "Números",
    webhook: "Webhooks",
    calls: "Requisições e envios",
  } as Record<FaultKind, string>,
  moreNumbers: (shown: number, all: number) =>
    `Mostrando os ${number(shown)} mais recentes de ${number(all)} números com problema. Os outros estão em Instâncias.`,
  inHours: (hours: number) => (hours === 1 ? "na última hora" : `nas últimas ${hours} horas`),
  guide: (file: string, chapter: string) => `Guia: ${file}, “${chapter}”`,
  every: "Todos",
  open: {
    check: "Abrir bridges",
    alarm: "Abrir bridges",
    shard: "Abrir bridges",
    proxy: "Abrir proxies",
    number: "Abrir instância",
    webhook: "Abrir webhooks",
    calls: "Abrir falhas",
  } as Record<FaultKind, string>,
  openOf: (open: string, name: string) => `${open}: ${name}`,
  numbers: (count: number) => (count === 1 ? "1 número" : `${number(count)} números`),
  failures: (count: number) => (count === 1 ? "1 falha" : `${number(count)} falhas`),
  checks: {
    settings: { title: "Uma configuração ainda tem o valor de exemplo", todo: "Troque a URL no wrangler.toml e faça um novo deploy." },
    database: { title: "O banco de dados não responde", todo: "Veja a página de status da Cloudflare e o D1 no painel dela." },
    migrations: { title: "Falta uma migração no banco de dados", todo: "Rode npm run migrate." },
    clock: {
      title: "Os relógios do worker e do banco não estão sincronizados",
      todo: "Avise o suporte da Cloudflare: só ela pode acertar esses relógios.",
    },
    files: {
      title: "O armazenamento de arquivos não responde",
      todo: "Veja o R2 no painel da Cloudflare. As mensagens continuam chegando; os arquivos chegam depois.",
    },
    pages: { title: "O painel não foi publicado", todo: "Rode npm run deploy, que também publica as páginas." },
    crons: {
      title: "Uma tarefa agendada não está rodando",
      todo: "Veja os gatilhos do worker no painel da Cloudflare. Sem eles, nenhum bridge inicia.",
    },
    pools: {
      title: "Um grupo de bridges não responde",
      todo: "Espere um minuto. Se continuar, volte para a última versão que funcionava.",
    },
    bridges: {
      title: "Nenhum bridge aceita sessões",
      todo: "Inicie um bridge, ou reinicie o que está desconectado. Os números se reconectam automaticamente.",
    },
    capacity: {
      title: "Todos os bridges estão cheios",
      todo: "Aumente max_instances no wrangler.toml ou, se os bridges rodam em outro lugar, inicie mais um. Até lá, os números sem vaga ficam aguardando.",
    },
    versions: {
      title: "Bridges e worker têm versões diferentes",
      todo: "Conclua o deploy: atualize os bridges para a mesma versão do worker.",
    },
    containers: { title: "Os contêineres dos bridges não iniciam", todo: "Rode npm run doctor: ele mostra o que falta na configuração." },
    mail: {
      title: "O último e-mail foi recusado",
      todo: "Confira o remetente e a cota no serviço de e-mail. Para testar, saia e peça um link em “Esqueci a senha”: o aviso some quando um e-mail for aceito.",
    },
    alarms: { title: "Há um alarme ativo", todo: "Abra a página Bridges." },
    disk: { title: "O disco está quase cheio", todo: "Libere espaço na máquina: comece apagando backups antigos." },
    backups: {
      title: "O backup noturno não foi feito",
      todo: "Veja no log a linha backup.failed, que diz o motivo. O gateway tenta de novo a cada hora.",
    },
    unreadable: { title: "Não foi possível fazer uma das verificações", todo: "Veja no log a linha faults.not_read e atualize a página." },
  } as Record<CheckName | "unreadable", Advice>,
  /** Replaces `todo` of a check or shard if the gateway runs on one machine. */
  onMachine: {
    settings: "Corrija as configurações DOMAIN e MAIL_FROM e reinicie o gateway.",
    database: "Veja se o disco está cheio ou com defeito. Se não estiver, reinicie o gateway e leia os logs na pasta de dados.",
    migrations: "Reinicie o gateway, que aplica as migrações ao iniciar.",
    clock: "Acerte o relógio da máquina (NTP) e reinicie o gateway.",
    files: "Veja se o disco está cheio ou com defeito. As mensagens continuam chegando; os arquivos chegam depois.",
    pages: "Reinicie o gateway, que prepara as páginas ao iniciar.",
    crons: "Reinicie o gateway. Se continuar, procure no log a linha cron.failed ou um erro do watchdog.",
    pools: "Espere um minuto. Se continuar, reinicie o gateway.",
    bridges:
      "Espere um minuto: o gateway reinicia os bridges que param. Se continuar, leia os logs na pasta de dados e reinicie o gateway.",
    capacity: "Aumente BRIDGES ou BRIDGE_CAPACITY nas configurações e reinicie o gateway. Até lá, os números sem vaga ficam aguardando.",
    versions: "Reinicie o gateway: o worker e os bridges passam a rodar a mesma versão.",
    mail: "Confira o servidor SMTP e as configurações SMTP_URL e MAIL_FROM. Para testar, saia e peça um link em “Esqueci a senha”: o aviso some quando um e-mail for aceito.",
    no_bridge:
      "Espere um minuto: o gateway reinicia os bridges que param. Se continuar, leia os logs na pasta de dados e reinicie o gateway.",
    silent: "Reinicie o gateway. Se continuar, leia os logs na pasta de dados.",
  } as Record<string, string>,
  alarm: (title: string, code: string) => `${title} (${code})`,
  alarms: {
    "close 401": { title: "Números estão sendo desvinculados", todo: STOP_CHATS },
    "close 402": { title: "Números estão sendo banidos temporariamente", todo: STOP_CHATS },
    "close 403": { title: "Números estão sendo bloqueados", todo: STOP_CHATS },
    "close 405": { title: "O WhatsApp não aceita mais a versão do cliente", todo: "Defina outra versão na página Bridges." },
    "close 406": { title: "Números estão sendo banidos", todo: STOP_CHATS },
    close: { title: "O WhatsApp está fechando as conexões de vários números", todo: "Veja o que esses números têm em comum." },
    ack: {
      title: "O WhatsApp está recusando envios",
      todo: "Peça aos clientes que não iniciem novas conversas e veja se há uma versão mais nova do gateway.",
    },
    iq: { title: "O WhatsApp está recusando requisições", todo: NEWER },
    unread: { title: "Mensagens chegam, mas o gateway não consegue descriptografá-las", todo: NEWER },
    stanza: { title: "O WhatsApp está enviando dados em um formato desconhecido", todo: NEWER },
    unhandled: { title: "O WhatsApp está enviando eventos desconhecidos", todo: NEWER },
    file: {
      title: "O gateway não consegue baixar arquivos do WhatsApp",
      todo: "Confira a rede entre os bridges e os servidores de arquivos do WhatsApp.",
    },
    deaf: {
      title: "Conexões abertas não recebem mais dados",
      todo: "Aguarde enquanto os bridges reabrem as conexões. Se o problema continuar, confira a rede dos bridges.",
    },
    app_state: { title: "O gateway não consegue ler nomes, etiquetas e conversas do celular", todo: NEWER },
    container: {
      title: "O bridge de um contêiner não se conecta",
      todo: "Aguarde: o contêiner será reiniciado automaticamente. Se o problema continuar, volte para a versão anterior.",
    },
    away: {
      title: "Muitos números perderam a conexão com o WhatsApp",
      todo: "Veja se o WhatsApp está fora do ar e confira a rede dos bridges. Os números se reconectam automaticamente.",
    },
    process: { title: "Os bridges de um novo build estão caindo", todo: "Veja o log deles. O build não recebe mais sessões." },
    mail: { title: "A cota do serviço de e-mail acabou", todo: "Aumente a cota. Os avisos voltam automaticamente." },
  } as Record<string, Advice>,
  otherAlarm: { title: "Alarme dos bridges", todo: "Abra a página Bridges." },
  shards: {
    full: {
      title: "cheio",
      todo: "Adicione um grupo em POOL_SHARDS e faça um novo deploy. Os novos números vão para outros grupos enquanto houver espaço.",
    },
    no_bridge: { title: "sem bridge", todo: "Inicie um bridge nesta região. Os números deste grupo estão fora do ar." },
    silent: { title: "sem sinal", todo: "Veja os logs deste grupo. Se continuar, faça um novo deploy." },
  } as Record<string, Advice>,
  proxies: {
    down: { title: "fora do ar", todo: "Teste o proxy. Se não voltar, mova os números para outro." },
    degraded: { title: "instável", todo: "Acompanhe. Se piorar, mova os números para outro proxy." },
  } as Record<string, Advice>,
  reasons: {
    banned: "O WhatsApp baniu o número. Avise o cliente: só ele pode pedir a revisão, no aplicativo do celular.",
    locked: "O WhatsApp bloqueou a conta. Avise o cliente: ele precisa abrir o WhatsApp no celular e seguir as instruções.",
    temporarily_banned: "O banimento acaba sozinho. Peça ao cliente que não inicie novas conversas.",
    restricted: "O número não pode iniciar novas conversas por um tempo. Peça ao cliente que responda só a quem escrever.",
    logged_out: "O dispositivo foi removido no celular do cliente. Ele precisa parear de novo.",
    replaced: "A sessão foi aberta em outro lugar. Procure outra instalação com este número e reconecte.",
    waiting_for_update: "O WhatsApp não aceita a versão que informamos. Defina outra na página Bridges.",
    client_outdated: "O WhatsApp não aceita a versão que informamos. Defina outra na página Bridges e reconecte.",
    bad_session: "A sessão salva não é mais válida. O cliente precisa parear de novo.",
    multidevice_mismatch:
      "O WhatsApp do celular não é compatível com esta conexão. O cliente precisa atualizar o aplicativo e parear de novo.",
    reconnect_exhausted: "O gateway desistiu de reconectar. Confira o proxy e a rede do bridge e reconecte.",
    proxy_error: "O proxy do número não funciona. Atribua outro proxy.",
    cloud_token_invalid: "A Meta recusou o token. O cliente precisa trocar o token na visão geral da conexão.",
    internal: "A sessão foi interrompida por um erro interno. Reconecte e procure o número de telefone no log do bridge.",
  } as Partial<Record<StatusReason, string>>,
  otherReason: "Abra a instância e reconecte.",
  webhookFails: "Webhook com falhas",
  queueFull: "Fila de um webhook cheia: entregas descartadas",
  dropped: (count: number) => (count === 1 ? "1 entrega descartada" : `${number(count)} entregas descartadas`),
  shard: (name: string) => `Grupo de bridges ${name}`,
  webhooks: {
    webhook_timeout: "O sistema do cliente não responde a tempo. Avise o cliente. O gateway continua tentando entregar.",
    webhook_connection_failed:
      "Não há conexão com o sistema do cliente. Avise o cliente. Se forem muitos clientes, confira a saída de rede do gateway.",
    webhook_not_2xx: "O sistema do cliente está respondendo com erro. Veja as respostas e avise o cliente.",
    webhook_redirect: "A URL do webhook redireciona. O cliente precisa cadastrar a URL final.",
    webhook_url_not_allowed: "A URL do webhook não é pública. O cliente precisa cadastrar outra.",
    webhook_queue_full:
      "O sistema do cliente não dá conta de receber tudo, e as entregas mais antigas são descartadas. Avise o cliente: por 7 dias, ele pode reenviá-las.",
  } as Record<string, string>,
  otherWebhook: "Veja o motivo nas entregas e avise o cliente.",
  callsFail: "Requisições ou envios com falha",
  calls: {
    internal_error:
      "No log do worker, procure as linhas “request” com status 500 e o ID da instância. Se o erro começou depois de um deploy, volte à versão anterior.",
    send_outcome_unknown:
      "O WhatsApp não confirmou alguns envios. Confira a rede do bridge. Ninguém deve repetir o envio sem conferir a conversa.",
    unavailable: "Um componente não respondeu. Em geral, o problema passa sozinho; se não passar, veja os outros problemas desta página.",
    network_timeout: "O WhatsApp não respondeu a tempo. Confira a rede do bridge.",
    instance_reconnecting: "O número está se reconectando. Confira o proxy e o bridge dele.",
    temporarily_blocked: "O WhatsApp restringiu este número. Peça ao cliente para enviar menos mensagens.",
  } as Record<string, string>,
  otherCall: "Veja quando as falhas começaram e procure o ID da instância no log do worker.",
  search: {
    label: "Buscar por ID, número, e-mail ou nome",
    hint: "ID de requisição, mensagem, entrega, instância, usuário, proxy ou chave. Para procurar só em um cliente, escreva o e-mail dele depois do ID.",
    results: "Resultados da busca",
    none: "Nada encontrado",
    noneText: "Confira se o ID está completo.",
    asked: (asked: number, of: number) =>
      asked < of
        ? `A busca incluiu as ${number(asked)} instâncias mais recentes, de um total de ${number(of)}. Para procurar em outras, escreva o e-mail do cliente depois do ID.`
        : `A busca incluiu ${asked === 1 ? "1 instância" : `todas as ${number(of)} instâncias`}.`,
    kinds: {
      user: "usuário",
      instance: "instância",
      proxy: "proxy",
      bridge: "bridge",
      key: "chave da conta",
      webhook: "webhook da conta",
      audit: "auditoria",
      request: "requisição",
      message: "mensagem",
      delivery: "entrega",
    },
    open: (kind: string, title: string) => `${title} (${kind})`,
  },
};
