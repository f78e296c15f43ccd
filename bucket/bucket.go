//go:build s3

package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	litestreams3 "github.com/benbjohnson/litestream/s3"
)

// Bucket is a prefix in S3-compatible storage. Keys are relative to it.
type Bucket struct {
	name, prefix string
	settings     url.Values
	client       *s3.Client
}

// settings lists the permitted parameters of an address.
var settings = []string{"concurrency", "endpoint", "forcePathStyle", "partSize", "region", "storageClass"}

// Open returns the bucket of an address, s3://BUCKET/PREFIX?endpoint=URL&region=NAME. It does not
// access it. The credentials come from the environment.
func Open(u *url.URL) (*Bucket, error) {
	if os.Getenv("AWS_ACCESS_KEY_ID") == "" || os.Getenv("AWS_SECRET_ACCESS_KEY") == "" {
		return nil, errors.New("S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	if os.Getenv("AWS_CA_BUNDLE") != "" {
		return nil, errors.New("the S3 client does not support AWS_CA_BUNDLE: unset it and set SSL_CERT_FILE to that file")
	}
	for name := range u.Query() {
		if !slices.Contains(settings, name) {
			return nil, fmt.Errorf("unknown setting %q of S3: must be one of %s", name, strings.Join(settings, ", "))
		}
	}
	b := &Bucket{name: u.Host, prefix: strings.Trim(u.Path, "/"), settings: u.Query()}
	c, err := b.LitestreamClient("")
	if err != nil {
		return nil, fmt.Errorf("parse the address of S3: %w", err)
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
	b.client = s3.New(options)
	return b, nil
}

// LitestreamClient returns Litestream's client of a folder, which has the same settings.
func (b *Bucket) LitestreamClient(folder string) (*litestreams3.ReplicaClient, error) {
	created, err := litestreams3.NewReplicaClientFromURL("s3", b.name, path.Join(b.prefix, folder), b.settings, nil)
	if err != nil {
		return nil, err
	}
	c := created.(*litestreams3.ReplicaClient)
	c.AccessKeyID, c.SecretAccessKey = "", "" // read from the environment, together with the session token
	return c, nil
}

func (b *Bucket) key(name string) *string { return aws.String(path.Join(b.prefix, name)) }

// Check returns an error if the bucket is unreachable.
func (b *Bucket) Check(ctx context.Context) error {
	_, err := b.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: aws.String(b.name), Prefix: aws.String(b.prefix), MaxKeys: aws.Int32(1),
	})
	return err
}

// Get returns the content of an object from an offset, and the size of the whole object. Errors:
// [fs.ErrNotExist].
func (b *Bucket) Get(ctx context.Context, name string, offset int64) (body io.ReadCloser, size int64, err error) {
	input := &s3.GetObjectInput{Bucket: aws.String(b.name), Key: b.key(name)}
	if offset > 0 {
		input.Range = aws.String("bytes=" + strconv.FormatInt(offset, 10) + "-")
	}
	object, err := b.client.GetObject(ctx, input)
	if missing := (*types.NoSuchKey)(nil); errors.As(err, &missing) {
		return nil, 0, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, 0, err
	}
	return object.Body, offset + aws.ToInt64(object.ContentLength), nil
}

// Put stores an object. If replace is false and the object exists, it returns [fs.ErrExist].
func (b *Bucket) Put(ctx context.Context, name string, content []byte, replace bool) error {
	input := &s3.PutObjectInput{Bucket: aws.String(b.name), Key: b.key(name), Body: bytes.NewReader(content)}
	if !replace {
		input.IfNoneMatch = aws.String("*")
	}
	_, err := b.client.PutObject(ctx, input)
	refused := (smithy.APIError)(nil)
	if errors.As(err, &refused) {
		switch refused.ErrorCode() {
		case "PreconditionFailed", "ConditionalRequestConflict":
			return fmt.Errorf("%s: %w", name, fs.ErrExist)
		case "NotImplemented": // storage without conditional requests
			if !replace {
				return b.Put(ctx, name, content, true)
			}
		}
	}
	return err
}

// Delete deletes an object. A missing object is no error.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(b.name), Key: b.key(name)})
	return err
}

// List iterates over the names of the objects below a folder, sorted.
func (b *Bucket) List(ctx context.Context, folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{
			Bucket: aws.String(b.name), Prefix: aws.String(b.below(folder)),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield("", err)
				return
			}
			for _, object := range page.Contents {
				if !yield(strings.TrimPrefix(aws.ToString(object.Key), b.below("")), nil) {
					return
				}
			}
		}
	}
}

// Folders returns the names of the folders in a folder, sorted.
func (b *Bucket) Folders(ctx context.Context, folder string) ([]string, error) {
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{
		Bucket: aws.String(b.name), Prefix: aws.String(b.below(folder)), Delimiter: aws.String("/"),
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

// below returns the start of the keys in a folder.
func (b *Bucket) below(folder string) string {
	if prefix := path.Join(b.prefix, folder); prefix != "" {
		return prefix + "/"
	}
	return ""
}
