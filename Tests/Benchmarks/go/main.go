// Times golang.org/x/oauth2 on request, so that its rounds can alternate with those of others.
//
// Reads lines "GOROUTINES CALLS" and answers each with the nanoseconds that one call took: a read of ReuseTokenSource;
// with a token endpoint as argument a login, of which the processor time counts.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/oauth2"
)

type source struct{}

func (source) Token() (*oauth2.Token, error) {
	return &oauth2.Token{
		AccessToken: strings.Repeat("2YotnFZFEjr1zCsicMWpAA", 40),
		TokenType:   "Bearer",
		Expiry:      time.Now().Add(time.Hour),
	}, nil
}

func read(tokens oauth2.TokenSource, calls int) {
	bytes := 0
	for i := 0; i < calls; i++ {
		token, err := tokens.Token()
		if err != nil {
			panic(err)
		}
		bytes += len(token.AccessToken)
	}
	if bytes != calls*880 {
		panic("wrong token")
	}
}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// The authorization request with PKCE, and the exchange of the code.
func logIn(config *oauth2.Config) {
	verifier := random()
	challenge := sha256.Sum256([]byte(verifier))
	url := config.AuthCodeURL(random(),
		oauth2.SetAuthURLParam("nonce", random()),
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"))
	token, err := config.Exchange(context.Background(), "SplxlOBeZQQYbYS6WxSbIA",
		oauth2.SetAuthURLParam("code_verifier", verifier))
	if err != nil {
		panic(err)
	}
	if url == "" || token.Extra("id_token") == nil {
		panic("wrong answer")
	}
}

func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func serveLogins(endpoint string) {
	config := &oauth2.Config{
		ClientID:    "web-application",
		RedirectURL: "https://app.example/login/callback",
		Scopes:      []string{"openid", "profile", "email", "offline_access"},
		Endpoint: oauth2.Endpoint{
			AuthURL:   "https://op.example/authorize",
			TokenURL:  endpoint,
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
	var goroutines, calls int
	for {
		if _, err := fmt.Scanln(&goroutines, &calls); err != nil {
			return
		}
		start := processorTime()
		for i := 0; i < calls; i++ {
			logIn(config)
		}
		fmt.Println(float64(processorTime()-start) / float64(calls))
	}
}

func serveReads() {
	tokens := oauth2.ReuseTokenSource(nil, source{})
	var goroutines, calls int
	for {
		if _, err := fmt.Scanln(&goroutines, &calls); err != nil {
			return
		}
		var group sync.WaitGroup
		start := time.Now()
		for g := 0; g < goroutines; g++ {
			group.Add(1)
			go func() {
				defer group.Done()
				read(tokens, calls/goroutines)
			}()
		}
		group.Wait()
		fmt.Println(float64(time.Since(start).Nanoseconds()) / float64(calls/goroutines*goroutines))
	}
}

func main() {
	if len(os.Args) > 1 {
		serveLogins(os.Args[1])
	} else {
		serveReads()
	}
}
