$instance = api("POST", "/instances", ["name" => "Store"])["data"];
api("POST", "/instances/{$instance['id']}/connect");
while (true) {
    $status = api("GET", "/instances/{$instance['id']}/status")["data"]["status"];
    if ($status === "connected") {
        break;
    }
    if ($status === "scan_qr") {
        echo api("GET", "/instances/{$instance['id']}/qr")["raw"], PHP_EOL;
    }
    sleep(5);
}
