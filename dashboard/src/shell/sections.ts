import {
  Activity,
  Cable,
  ChartColumn,
  CircleGauge,
  Logs,
  type LucideIcon,
  MessagesSquare,
  Network,
  ScrollText,
  Send,
  Server,
  Siren,
  Settings,
  Users,
} from "lucide-react";

export const SECTIONS = [
  { word: "overview", to: "/connections/$id", icon: CircleGauge },
  { word: "chats", to: "/connections/$id/chats", icon: MessagesSquare },
  { word: "integrations", to: "/connections/$id/integrations", icon: Cable },
  { word: "deliveries", to: "/connections/$id/deliveries", icon: Send },
  { word: "events", to: "/connections/$id/events", icon: Activity },
  { word: "logs", to: "/connections/$id/logs", icon: Logs },
  { word: "settings", to: "/connections/$id/settings", icon: Settings },
] as const satisfies readonly { word: string; to: string; icon: LucideIcon }[];

export const IN_BAR = 4;

export const ADMIN_SECTIONS = [
  { word: "now", to: "/admin/now", icon: Siren },
  { word: "users", to: "/admin/users", icon: Users },
  { word: "instances", to: "/admin/instances", icon: Server },
  { word: "fleet", to: "/admin/fleet", icon: Activity },
  { word: "statistics", to: "/admin/statistics", icon: ChartColumn },
  { word: "proxies", to: "/admin/proxies", icon: Network },
  { word: "audit", to: "/admin/audit", icon: ScrollText },
] as const satisfies readonly { word: string; to: string; icon: LucideIcon }[];
