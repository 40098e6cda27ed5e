api("POST", "/instance/connect");
while (true) {
    $status = api("GET", "/instance")["data"]["status"];
    if ($status === "connected") {
        break;
    }
    if ($status === "scan_qr") {
        echo api("GET", "/instance/qr")["data"]["raw"], PHP_EOL;
    }
    sleep(5);
}
