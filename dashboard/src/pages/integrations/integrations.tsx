export function Integrations() {
  return <h1>Integrations</h1>;
}
