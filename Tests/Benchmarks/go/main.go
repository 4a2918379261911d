// Times golang.org/x/oauth2's ReuseTokenSource on request, so that its rounds can alternate with those of others.
//
// Reads lines "GOROUTINES CALLS" and answers each with the nanoseconds that one call took.
package main

import (
	"fmt"
	"strings"
	"sync"
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

func main() {
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
