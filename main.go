// Logitscope is a laboratory for the decoding of language models.
package main

func main() {}
