// The ready file: what a script needs to use this sandbox (docs/use/sandbox.md, "Ready file").

export type DemoCloud = { id: number; instance_id: string; name: string; phone: string; api_key: string; phone_number_id: string };

export type Ready = {
  app_url: string;
  base_url: string;
  dashboard_url: string;
  /** null with `--live`, which has no test network. */
  network_url: string | null;
  graph_url: string | null;
  processes: { sandbox: number; worker: number; bridge: number; network: number | null };
  admin: { email: string; password: string };
  demo: {
    email: string;
    password: string;
    api_key: string;
    connection: { id: number; instance_id: string; name: string; phone: string | null; api_key: string };
    contact: { phone: string; name: string } | null;
    /** null with `--live` or an external issuer. */
    cloud: DemoCloud | null;
  };
};
