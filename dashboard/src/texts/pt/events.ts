export default {
  title: "Eventos ao vivo",
  about: "Os eventos que um webhook receberia, na hora em que acontecem. Nada fica guardado: quando você sai da página, a lista some.",
  waiting: {
    title: "Aguardando o primeiro evento",
    text: "De outro celular, mande um oi para este número:",
    noNumber: "De outro celular, mande um oi para este número.",
  },
  offline: { text: "O número não está conectado, então quase nada acontece por aqui.", action: "Parear" },
  type: "Tipo de evento",
  allTypes: "Todos os eventos",
  allOf: (group: string) => `${group}: todos os eventos`,
  groups: { messages: "Mensagens", number: "Número e ligações", groups: "Grupos", labels: "Etiquetas" },
  search: "Buscar no conteúdo",
  pause: "Pausar",
  resume: (waiting: number) => (waiting === 0 ? "Continuar" : `Continuar (${waiting})`),
  paused: (waiting: number) =>
    waiting === 0 ? "Em pausa." : waiting === 1 ? "Em pausa: 1 evento aguardando." : `Em pausa: ${waiting} eventos aguardando.`,
  clear: "Limpar",
  none: "Nenhum evento com este filtro.",
  list: "Eventos, do mais novo ao mais antigo",
  live: "Ao vivo",
  opening: "Abrindo…",
  count: (shown: number) => (shown === 1 ? "1 evento" : `${shown} eventos`),
  dropped: (count: number) =>
    count === 1
      ? "1 evento mais antigo saiu da lista, que guarda os últimos 500."
      : `${count} eventos mais antigos saíram da lista, que guarda os últimos 500.`,
  asleep: (from: string, to: string) =>
    `A aba ficou em segundo plano, e a página não foi atualizada das ${from} às ${to}. Os eventos desse período aparecem a seguir.`,
  gap: "Podem faltar eventos aqui: o servidor não tem mais tudo o que aconteceu enquanto esta página estava sem conexão. Em Entregas, você vê todos os eventos enviados ao seu webhook.",
  deliveries: "Ver entregas do webhook",
  save: "Salvar como teste",
  saved: (name: string) => `Salvo como ${name}`,
  saveHint: "Baixa o corpo que o webhook receberia, para você usar nos testes do seu servidor.",
  payload: (type: string) => `Conteúdo de ${type}`,
};
