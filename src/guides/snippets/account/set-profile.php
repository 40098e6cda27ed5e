$store = "/instances/" . getenv("INSTANCE_ID");
api("PUT", "$store/profile/name", ["name" => "Ana's store"]);
api("PUT", "$store/profile/about", ["about" => "Open from 9 to 6"]);
api("PUT", "$store/presence", ["presence" => "online"]);
$profile = api("GET", "$store/profile")["data"];
echo $profile["name"], " ", $profile["about"], PHP_EOL;
