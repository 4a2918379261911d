// Logs in at `authstate provider --automatic` with golang.org/x/oauth2: code flow with PKCE, the API, a renewal.
//
// usage: main ISSUER
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"golang.org/x/oauth2"
)

func get(client *http.Client, address string, into interface{}) {
	answer, err := client.Get(address)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		log.Fatal(err)
	}
}

func main() {
	issuer := os.Args[1]
	var metadata struct {
		Authorization string `json:"authorization_endpoint"`
		Token         string `json:"token_endpoint"`
		UserInfo      string `json:"userinfo_endpoint"`
	}
	get(http.DefaultClient, issuer+"/.well-known/openid-configuration", &metadata)
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	verifier := base64.RawURLEncoding.EncodeToString(bytes)
	digest := sha256.Sum256([]byte(verifier))
	config := oauth2.Config{
		ClientID: "app", RedirectURL: "http://127.0.0.1:8000/callback", Scopes: []string{"openid", "profile", "offline_access"},
		Endpoint: oauth2.Endpoint{AuthURL: metadata.Authorization, TokenURL: metadata.Token, AuthStyle: oauth2.AuthStyleInParams},
	}
	address := config.AuthCodeURL("a-state", oauth2.SetAuthURLParam("code_challenge_method", "S256"),
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(digest[:])))
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := browser.Get(address)
	if err != nil {
		log.Fatal(err)
	}
	location, err := answer.Location()
	if err != nil || location.Query().Get("state") != "a-state" {
		log.Fatal("no answer to this login: ", err)
	}
	ctx := context.Background()
	token, err := config.Exchange(ctx, location.Query().Get("code"), oauth2.SetAuthURLParam("code_verifier", verifier))
	if err != nil {
		log.Fatal(err)
	}
	var info struct{ Sub string }
	get(config.Client(ctx, token), metadata.UserInfo, &info)
	var hello struct{ Message string }
	get(config.Client(ctx, token), issuer+"/api/hello", &hello)
	first := token.AccessToken
	token.Expiry = time.Now().Add(-time.Hour)
	renewed, err := config.TokenSource(ctx, token).Token()
	if err != nil {
		log.Fatal(err)
	}
	result, _ := json.Marshal(map[string]interface{}{
		"sub": info.Sub, "message": hello.Message, "renewed": renewed.AccessToken != first,
	})
	fmt.Println(string(result))
}
