# api METHOD PATH [BODY]
api() {
  curl -s -X "$1" "{{url}}/api$2" -H "X-Api-Key: $API_KEY" -H 'Content-Type: application/json' ${3:+-d "$3"}
}
