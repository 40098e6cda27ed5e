export function Proxies() {
  return <h1>Proxies</h1>;
}
