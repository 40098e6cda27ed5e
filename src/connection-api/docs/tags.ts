// The families of Surface B, in the order in which the documentation shows them.

import type { DocumentedSurface } from "../../http/openapi/surface.ts";

export const TAGS: DocumentedSurface["tags"] = [
  { name: "instance", title: "Conexão", description: "A conexão desta chave: estado, pareamento, saúde." },
  { name: "messages", title: "Mensagens", description: "Envios de todos os tipos, e a consulta de uma mensagem." },
  { name: "chats", title: "Conversas", description: "Conversas e seu histórico: ler, arquivar, fixar, silenciar, reagir, editar, apagar." },
  { name: "groups", title: "Grupos", description: "Grupos: criar, administrar, convidar." },
  { name: "contacts", title: "Contatos", description: "Contatos: consultar, salvar, bloquear." },
  { name: "labels", title: "Etiquetas", description: "Etiquetas de contas comerciais." },
  { name: "channels", title: "Canais", description: "Canais: criar, seguir, publicar." },
  { name: "status", title: "Status", description: "Publicações de status, que somem em 24 horas." },
  { name: "presence", title: "Presença", description: "Presença do próprio número." },
  { name: "profile", title: "Perfil", description: "O perfil do próprio número." },
  { name: "calls", title: "Chamadas", description: "Chamadas recebidas." },
];
