//go:build s3

package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/benbjohnson/litestream"
	litestreams3 "github.com/benbjohnson/litestream/s3"
)

// bucket is a prefix in S3-compatible storage.
type bucket struct {
	name, prefix string
	settings     url.Values
	lister       *s3.Client // Litestream's own client lists no folders
}

// s3Settings lists the permitted parameters of an address.
var s3Settings = []string{"concurrency", "endpoint", "forcePathStyle", "partSize", "region", "storageClass"}

// newS3Place returns the place of an S3 address. The credentials come from the environment.
func newS3Place(u *url.URL) (place, error) {
	if os.Getenv("AWS_ACCESS_KEY_ID") == "" || os.Getenv("AWS_SECRET_ACCESS_KEY") == "" {
		return nil, errors.New("a replica in S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	if os.Getenv("AWS_CA_BUNDLE") != "" {
		return nil, errors.New("the S3 client does not support AWS_CA_BUNDLE: unset it and set SSL_CERT_FILE to that file")
	}
	for name := range u.Query() {
		if !slices.Contains(s3Settings, name) {
			return nil, fmt.Errorf("unknown setting %q of a replica in S3: must be one of %s", name, strings.Join(s3Settings, ", "))
		}
	}
	b := &bucket{name: u.Host, prefix: strings.Trim(u.Path, "/"), settings: u.Query()}
	c, err := b.newClient("")
	if err != nil {
		return nil, fmt.Errorf("parse the replica's address: %w", err)
	}
	options := s3.Options{
		Region: c.Region, UsePathStyle: c.ForcePathStyle,
		Credentials: credentials.NewStaticCredentialsProvider(
			os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")),
	}
	if options.Region == "" {
		options.Region = litestreams3.DefaultRegion
	}
	if c.Endpoint != "" {
		options.BaseEndpoint = aws.String(c.Endpoint)
	}
	b.lister = s3.New(options)
	return b, nil
}

func (b *bucket) newClient(folder string) (*litestreams3.ReplicaClient, error) {
	created, err := litestreams3.NewReplicaClientFromURL("s3", b.name, path.Join(b.prefix, folder), b.settings, nil)
	if err != nil {
		return nil, err
	}
	c := created.(*litestreams3.ReplicaClient)
	c.AccessKeyID, c.SecretAccessKey = "", "" // read from the environment, together with the session token
	return c, nil
}

func (b *bucket) client(folder string) litestream.ReplicaClient {
	c, err := b.newClient(folder)
	if err != nil {
		panic(err) // newS3Place has validated the settings
	}
	return c
}

func (b *bucket) check(ctx context.Context) error {
	_, err := b.lister.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: aws.String(b.name), Prefix: aws.String(b.prefix), MaxKeys: aws.Int32(1),
	})
	return err
}

func (b *bucket) read(ctx context.Context, name string) ([]byte, error) {
	object, err := b.lister.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(b.name), Key: aws.String(path.Join(b.prefix, name))})
	if missing := (*types.NoSuchKey)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	const maxSize = 4096 // in bytes
	content, err := io.ReadAll(io.LimitReader(object.Body, maxSize))
	return content, errors.Join(err, object.Body.Close())
}

func (b *bucket) write(ctx context.Context, name string, content []byte, replace bool) error {
	input := &s3.PutObjectInput{Bucket: aws.String(b.name), Key: aws.String(path.Join(b.prefix, name)), Body: bytes.NewReader(content)}
	if !replace {
		input.IfNoneMatch = aws.String("*")
	}
	_, err := b.lister.PutObject(ctx, input)
	refused := (smithy.APIError)(nil)
	if errors.As(err, &refused) {
		switch refused.ErrorCode() {
		case "PreconditionFailed", "ConditionalRequestConflict":
			return fmt.Errorf("%s: %w", name, fs.ErrExist)
		case "NotImplemented": // storage without conditional requests
			if !replace {
				return b.write(ctx, name, content, true)
			}
		}
	}
	return err
}

func (b *bucket) list(ctx context.Context, folder string) ([]string, error) {
	prefix := path.Join(b.prefix, folder)
	if prefix != "" {
		prefix += "/"
	}
	pages := s3.NewListObjectsV2Paginator(b.lister, &s3.ListObjectsV2Input{
		Bucket: aws.String(b.name), Prefix: aws.String(prefix), Delimiter: aws.String("/"),
	})
	var names []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range page.CommonPrefixes {
			names = append(names, path.Base(aws.ToString(p.Prefix)))
		}
	}
	slices.Sort(names)
	return names, nil
}
